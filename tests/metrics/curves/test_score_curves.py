"""The curves that a falling threshold draws: what holds for all of them, and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from probus.errors import DataError
from probus.metrics import Outcome, RocCurve, efficiency_rejection, precision_recall, roc
from probus.metrics.curves._areas import average_precision, roc_area
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._score_ranking import ScoreRanking
from probus.metrics.curves._shares import wilson

few = settings(max_examples=settings.default.max_examples // 3)

VERBS = (roc, precision_recall, efficiency_rejection)


@st.composite
def scored(draw, max_rows=30):
    """Classes, scores with many ties, and whole weights; both classes carry weight."""
    n = draw(st.integers(2, max_rows))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    y[:2], weights[:2] = [0, 1], [max(weights[0], 1), max(weights[1], 1)]
    return np.array(y), np.array(scores) / 4, np.array(weights)


def ranking_of(y, scores, weights):
    return ScoreRanking.of(OneVsRest.of(Outcome.of(y, scores, needs="scores", sample_weight=weights)))


@few
@given(scored())
def test_roc_points_and_area_are_scikit_learns(data):
    y, scores, weights = data
    curve = roc(y, scores, sample_weight=weights, band=False)
    fpr, tpr, thresholds = metrics.roc_curve(y, scores, sample_weight=weights, drop_intermediate=False)
    assert np.array_equal(curve.thresholds, thresholds)
    assert curve.false_positive_rate == pytest.approx(fpr, abs=1e-15)
    assert curve.true_positive_rate == pytest.approx(tpr, abs=1e-15)
    assert curve.area.value == pytest.approx(metrics.roc_auc_score(y, scores, sample_weight=weights), abs=1e-12)


@few
@given(scored())
def test_precision_recall_points_and_area_are_scikit_learns(data):
    y, scores, weights = data
    kept = weights > 0  # scikit-learn keeps thresholds at rows that do not count
    curve = precision_recall(y, scores, sample_weight=weights, band=False)
    precision, recall, thresholds = metrics.precision_recall_curve(y[kept], scores[kept], sample_weight=weights[kept])
    assert np.array_equal(curve.thresholds, thresholds[::-1])
    assert curve.precision == pytest.approx(precision[-2::-1], abs=1e-15)
    assert curve.recall == pytest.approx(recall[-2::-1], abs=1e-15)
    expected = metrics.average_precision_score(y, scores, sample_weight=weights)
    assert curve.average_precision.value == pytest.approx(expected, abs=1e-12)


@few
@given(scored())
def test_weights_equal_repetition(data):
    y, scores, weights = data
    for verb in VERBS:
        weighted = verb(y, scores, sample_weight=weights, band=False)
        repeated = verb(np.repeat(y, weights), np.repeat(scores, weights), band=False)
        assert weighted.to_frame().equals(repeated.to_frame())
        assert weighted.area.value == pytest.approx(repeated.area.value, abs=1e-14)


@few
@given(scored())
def test_only_the_order_of_the_scores_matters(data):
    y, scores, weights = data
    for verb in VERBS:
        before = verb(y, scores, sample_weight=weights, n_resamples=10, random_state=0)
        after = verb(y, scores**3 + 2 * scores - 1, sample_weight=weights, n_resamples=10, random_state=0)
        assert before.area == after.area
        assert before.band.to_frame().equals(after.band.to_frame())


@few
@given(scored(), st.integers(0, 99))
def test_the_band_holds_the_curve(data, seed):
    y, scores, weights = data
    for verb in VERBS:
        band = verb(y, scores, sample_weight=weights, n_resamples=5, random_state=seed).band
        assert (band.low <= band.value).all()
        assert (band.value <= band.high).all()


@few
@given(scored())
def test_the_band_is_around_the_points(data):
    y, scores, weights = data
    of_roc, of_precision = (verb(y, scores, sample_weight=weights, n_resamples=2) for verb in VERBS[:2])
    curve = of_roc
    at = np.searchsorted(curve.band.x, curve.false_positive_rate)
    on_grid = curve.band.x[np.minimum(at, 200)] == curve.false_positive_rate
    assert (curve.band.value[at[on_grid]] >= curve.true_positive_rate[on_grid] - 1e-12).all()
    curve = of_precision
    for recall, precision in zip(curve.band.x, curve.band.value, strict=True):
        assert precision == curve.precision[curve.recall >= recall - 1e-12][0]


@few
@given(scored())
def test_turned_scores_turn_the_area_and_its_interval(data):
    y, scores, weights = data
    area = roc(y, scores, sample_weight=weights, band=False).area
    turned = roc(y, -scores, sample_weight=weights, band=False).area
    assert [1 - turned.high, 1 - turned.value, 1 - turned.low] == pytest.approx([area.low, area.value, area.high])


@few
@given(scored())
def test_the_variance_of_the_area_is_delongs(data):
    y, scores, _ = data
    positives, negatives = scores[y == 1], scores[y == 0]
    m, n = len(positives), len(negatives)
    wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    value = wins.mean()
    if min(m, n) < 2 or value in (0, 1):
        return
    variance = wins.mean(axis=1).var(ddof=1) / m + wins.mean(axis=0).var(ddof=1) / n
    if variance < 1e-12:
        return
    low, high = wilson(value, value * (1 - value) / variance, 0.95, df=max(min(m, n) - 1, 1))
    area = roc_area(ranking_of(y, scores, None), 0.95)
    assert [area.low, area.high] == pytest.approx([float(low), float(high)], abs=1e-9)


@pytest.mark.slow
@few
@given(scored(max_rows=12))
def test_the_variance_of_average_precision_is_that_of_its_derivatives(data):
    y, scores, weights = data
    kept = weights > 0
    y, scores, weights = y[kept], scores[kept], weights[kept].astype(float)
    step, derivative = 1e-6, np.empty(len(y))
    for i in range(len(y)):
        up, down = weights.copy(), weights.copy()
        up[i], down[i] = up[i] + step, down[i] - step
        change = [metrics.average_precision_score(y, scores, sample_weight=w) for w in (up, down)]
        derivative[i] = (change[0] - change[1]) / (2 * step)
    m, n = (y == 1).sum(), (y == 0).sum()
    value = metrics.average_precision_score(y, scores, sample_weight=weights)
    if min(m, n) < 2 or value == 1:
        return
    pull = (weights * derivative) ** 2
    variance = pull[y == 1].sum() * m / (m - 1) + pull[y == 0].sum() * n / (n - 1)
    if variance < 1e-12:
        return
    size = min(ranking.effective_size for ranking in _sides(y, scores, weights))
    low, high = wilson(value, value * (1 - value) / variance, 0.95, df=max(size - 1, 1))
    area = average_precision(ranking_of(y, scores, weights), 0.95)
    assert [area.low, area.high] == pytest.approx([float(low), float(high)], abs=1e-5)


def _sides(y, scores, weights):
    ranking = ranking_of(y, scores, weights)
    return ranking.positives, ranking.negatives


@pytest.mark.parametrize("area", [roc_area, average_precision])
def test_the_intervals_of_areas_cover_the_truth_about_as_often_as_they_say(area):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 30])
    truth = {roc_area: 0.7602, average_precision: 0.70005}[area]  # of normal scores one standard deviation apart
    hits = [truth in area(ranking_of(y, rng.normal(size=70) + y, None), 0.9) for _ in range(400)]
    assert 0.86 <= np.mean(hits) <= 0.96


@pytest.mark.slow
def test_the_roc_band_covers_the_truth_about_as_often_as_it_says():
    from scipy.stats import norm

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [150, 100])
    at = np.array([20, 60, 120])
    hits = []
    for _ in range(100):
        band = roc(y, rng.normal(size=250) + 1.5 * y, level=0.9, n_resamples=100, random_state=rng.integers(99)).band
        truth = norm.cdf(1.5 + norm.ppf(band.x[at]))
        hits.append((band.low[at] <= truth) & (truth <= band.high[at]))
    assert (np.mean(hits, axis=0) >= 0.84).all()


@pytest.mark.parametrize("verb", VERBS)
def test_a_perfect_order_of_few_rows_is_no_certainty(verb):
    curve = verb([0, 0, 1, 1], [1, 2, 3, 4], random_state=0)
    assert curve.area.value == 1
    assert curve.area.low < 0.5
    assert curve.band.low.min() < 0.5


def test_constant_scores_have_the_area_of_chance():
    curve = roc([0, 1, 1, 0], [7, 7, 7, 7], random_state=0)
    assert curve.area.value == 0.5
    assert curve.true_positive_rate.tolist() == curve.false_positive_rate.tolist() == [0, 1]
    assert precision_recall([0, 1, 1, 0], [7] * 4, band=False).area.value == 0.5


@pytest.mark.parametrize("stratified", [True, False])
def test_resamples_draw_as_many_rows_and_never_one_class_alone(stratified):
    ranking = ranking_of(np.array([0] * 9 + [1]), np.arange(10.0), None)
    totals = ranking.resampled(lambda tp, fp: np.array([tp[-1], fp[-1]]), 200, 0, stratified=stratified)
    assert (totals.sum(axis=1) == 10).all()
    assert (totals > 0).all()
    assert (np.ptp(totals[:, 0]) == 0) == stratified


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_seed_gives_the_same_band(verb):
    y, scores = [0, 1] * 20, np.random.default_rng(0).normal(size=40)
    first, again, other = (verb(y, scores, n_resamples=50, random_state=seed).band for seed in (1, 1, 2))
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, other.low)


def test_a_class_is_held_against_the_rest():
    y = np.array(["a", "b", "c", "b", "a", "c"])
    probabilities = np.array([[5, 3, 2], [2, 5, 3], [1, 3, 6], [4, 3, 3], [6, 2, 2], [3, 4, 3]]) / 10
    curve = roc(y, probabilities, pos_label="b", band=False)
    assert curve.label == "b"
    assert curve.area.value == metrics.roc_auc_score(y == "b", probabilities[:, 1])
    assert roc(y, probabilities[:, 1], pos_label="b", band=False).area == curve.area
    outcome = Outcome.of(y, probabilities, needs="probabilities")
    assert RocCurve.of(outcome, pos_label="b", band=False).area == curve.area


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("y", "scores", "options", "told"),
    [
        (["yes"] * 3, [1, 2, 3], {}, "every row that counts is of class 'yes'"),
        ([1, 1], [1, 2], {}, "every row that counts is of class 1"),
        ([1], [0.5], {}, "every row that counts is of class 1"),
        ([0, 1], [1, 2], {"sample_weight": [1, 0]}, "every row that counts is of class 0"),
        ([0, 1, 2], [1, 2, 3], {}, r"3 classes and none named.*\n.*Pass pos_label=0"),
        ([0, 1, 2], [1, 2, 3], {"sample_weight": [1, 1, 0], "pos_label": 2}, "no row that counts is of class 2"),
        ([0, 1], [1, np.nan], {}, "1 of 2 values are missing"),
        ([0, 1], [1, np.inf], {}, "1 of 2 values are infinite"),
        ([0, 1], [1, 2, 3], {}, "one prediction per row"),
        ([0, 1], [1, 2], {"pos_label": "x"}, r"pos_label='x'"),
        ([0, 1], [1, 2], {"level": 95}, "confidence level of 95"),
        ([0, 1], [1, 2], {"n_resamples": 1}, "n_resamples=1"),
    ],
)
def test_what_has_no_curve_is_told(verb, y, scores, options, told):
    with pytest.raises(DataError, match=told):
        verb(y, scores, **options)


def test_labels_and_numbers_have_no_curve():
    with pytest.raises(DataError, match=r"no scores for class 1\.\n.*predict_proba"):
        RocCurve.of(Outcome.of([0, 1], [0, 1]))
    with pytest.raises(DataError, match="numbers as the target"):
        RocCurve.of(Outcome.of([0.5, 1.5], [0.5, 1.0], needs="values"))


def test_the_caption_is_where_the_curve_is_not():
    y = np.r_[np.ones(5, int), np.zeros(95, int)]
    assert precision_recall(y, y + 0.0, band=False).corner == "lower left"
    assert precision_recall(y, np.random.default_rng(0).random(100), band=False).corner == "upper right"
