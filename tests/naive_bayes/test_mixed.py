import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gaussian_kde, norm

import probus
from probus.data._schema import UnseenLevelWarning
from probus.naive_bayes import CategoricalNB, GaussianNB, NaiveBayes

rng = np.random.default_rng(5)
N = 80
y = np.array(["ill", "well"])[rng.integers(0, 2, N)]
AGE = np.where(y == "ill", 60, 45) + 8 * rng.normal(size=N)
DOSE = rng.integers(1, 6, N) * 10.0
BLOOD = np.array(["A", "B", "O"])[rng.integers(0, 3, N)]
PEOPLE = probus.Table.of({"age": AGE, "blood": BLOOD, "dose": DOSE}, infer=False)
HOLES = probus.Table.of(
    {
        "age": np.where(rng.random(N) < 0.2, np.nan, AGE),
        "blood": [None if gone else b for b, gone in zip(BLOOD, rng.random(N) < 0.2, strict=True)],
        "dose": np.where(rng.random(N) < 0.2, np.nan, DOSE),
    },
    infer=False,
)
EVERY = [{}, {"numeric": "kernel"}, {"smoothing": "epsilon"}, {"numeric": "kernel", "bandwidth": "scott"}]
every_setting = pytest.mark.parametrize("setting", EVERY, ids=str)


# -- what it is ----------------------------------------------------------------------------------------


def test_numbers_alone_give_gaussian_naive_bayes():
    X = np.column_stack([AGE, DOSE])
    ours, plain = NaiveBayes(var_smoothing=1e-300).fit(X, y), GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), plain.predict_proba(X), rtol=1e-10)


def test_levels_alone_give_categorical_naive_bayes():
    frame = pd.DataFrame({"blood": BLOOD, "other": BLOOD[::-1]})
    np.testing.assert_allclose(
        NaiveBayes(alpha=2.0).fit(frame, y).predict_proba(frame),
        CategoricalNB(alpha=2.0).fit(frame, y).predict_proba(frame),
        rtol=1e-12,
    )


def test_columns_multiply():
    model = NaiveBayes().fit(PEOPLE, y)
    alone = [
        NaiveBayes().fit(PEOPLE.select(name), y).predict_joint_log_proba(PEOPLE.select(name)) for name in PEOPLE.names
    ]
    joint = sum(alone) - 2 * np.log(model.class_prior_)
    np.testing.assert_allclose(model.predict_joint_log_proba(PEOPLE), joint, rtol=1e-12)


@pytest.mark.parametrize("rule", ["silverman", "scott", 0.4])
def test_a_kernel_density_is_scipys(rule):
    model = NaiveBayes(numeric="kernel", bandwidth=rule).fit(AGE[:, None], y)
    grid = np.linspace(20, 90, 30)
    joint = model.predict_joint_log_proba(grid[:, None])
    for k, label in enumerate(model.classes_):
        sample = AGE[y == label]
        width = model.bandwidth_[k, 0] / sample.std(ddof=1)  # SciPy's widths are in units of this
        density = gaussian_kde(sample, bw_method=width)
        np.testing.assert_allclose(joint[:, k] - np.log(model.class_prior_[k]), density.logpdf(grid), rtol=1e-10)
        own = gaussian_kde(sample, bw_method=rule).factor * sample.std()
        np.testing.assert_allclose(model.bandwidth_[k, 0], own, rtol=1e-8)


def test_laplace_smoothing_adds_alpha_to_every_level():
    model = NaiveBayes(alpha=0.5).fit(probus.Table.of({"v": ["a", "a", "b", "c"]}, infer=False), [0, 0, 0, 1])
    np.testing.assert_allclose(np.exp(model.log_prob_[0]), [2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5])


def test_epsilon_smoothing_replaces_zeros_and_scales_the_rest():
    table = probus.Table.of({"v": ["a", "a", "b", "c"]}, infer=False)
    model = NaiveBayes(smoothing="epsilon", epsilon=0.1).fit(table, [0, 0, 0, 1])
    np.testing.assert_allclose(np.exp(model.log_prob_), [[0.6, 0.3, 0.1], [0.1, 0.1, 0.8]])


def test_epsilon_is_below_one_over_rows_by_default():
    model = NaiveBayes(smoothing="epsilon").fit(PEOPLE, np.where(BLOOD == "A", "yes", "no"))
    np.testing.assert_allclose(np.exp(model.log_prob_.min()), 1 / (3 * N))


@settings(max_examples=40, deadline=None)
@given(
    counts=st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=2), min_size=1, max_size=6),
    smoothing=st.sampled_from(["laplace", "epsilon"]),
)
def test_probabilities_of_levels_are_positive_and_add_up_to_one(counts, smoothing):
    cells = [(str(level), k) for level, row in enumerate(counts) for k, times in enumerate(row) for _ in range(times)]
    levels = [str(level) for level in range(len(counts))]
    table = probus.Table.of({"v": [level for level, _ in cells] + ["0", "0"]}, kinds={"v": levels}, infer=False)
    model = NaiveBayes(smoothing=smoothing).fit(table, [k for _, k in cells] + [0, 1])
    np.testing.assert_allclose(np.exp(model.log_prob_).sum(axis=1), 1.0)
    assert np.isfinite(model.log_prob_).all()


# -- properties ----------------------------------------------------------------------------------------


@every_setting
@pytest.mark.parametrize("table", [PEOPLE, HOLES], ids=["whole", "holes"])
def test_weights_equal_repetition(setting, table):
    times = rng.integers(0, 4, N)
    rows = np.repeat(np.arange(N), times)
    weighted = NaiveBayes(**setting).fit(table, y, sample_weight=times)
    repeated = NaiveBayes(**setting).fit(table.take(rows), y[rows])
    np.testing.assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), rtol=1e-9)


@every_setting
def test_missing_values_are_left_out_of_the_product(setting):
    model = NaiveBayes(**setting).fit(PEOPLE, y)
    blind = probus.Table.of({"age": [None, 50.0], "blood": ["A", None], "dose": [None, None]}, infer=False)
    whole = probus.Table.of({"age": [50.0, 50.0], "blood": ["A", "A"], "dose": [30.0, 30.0]}, infer=False)
    parts = model.contributions(whole)
    left = parts[[0, 1], [1, 0]] + np.log(model.class_prior_)
    np.testing.assert_allclose(model.predict_proba(blind), np.exp(left) / np.exp(left).sum(axis=1, keepdims=True))


@every_setting
def test_missing_values_are_left_out_of_learning(setting):
    there = ~HOLES["age"].missing
    holes = NaiveBayes(**setting).fit(HOLES.select("age"), y)
    whole = NaiveBayes(**setting, priors=holes.class_prior_).fit(HOLES.select("age").take(there), y[there])
    np.testing.assert_allclose(whole.predict_proba(HOLES.select("age")), holes.predict_proba(HOLES.select("age")))


@every_setting
def test_scaling_and_shifting_a_column_changes_nothing(setting):
    moved = PEOPLE.with_columns(probus.Column.numbers("age", AGE * 1e6 - 1e7))
    np.testing.assert_allclose(
        NaiveBayes(**setting).fit(moved, y).predict_proba(moved),
        NaiveBayes(**setting).fit(PEOPLE, y).predict_proba(PEOPLE),
        rtol=1e-6,
    )


@every_setting
def test_contributions_and_priors_make_the_posterior(setting):
    model = NaiveBayes(**setting).fit(HOLES, y)
    contributions = model.contributions(HOLES)
    assert contributions.shape == (N, 3, 2)
    joint = np.log(model.class_prior_) + contributions.sum(axis=1)
    posterior = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(HOLES), posterior, rtol=1e-10)
    assert (contributions[HOLES["age"].missing, 0] == 0).all()


def test_a_contribution_is_what_the_column_alone_would_change():
    model, alone = NaiveBayes().fit(PEOPLE, y), NaiveBayes().fit(PEOPLE.select("blood"), y)
    change = alone.predict_log_proba(PEOPLE.select("blood")) - np.log(alone.class_prior_)
    np.testing.assert_allclose(model.contributions(PEOPLE)[:, 1], change, atol=1e-12)


@every_setting
@pytest.mark.parametrize("frame", [probus.Table.to_pandas, probus.Table.to_polars])
def test_frames_are_taken_as_they_are(setting, frame):
    model = NaiveBayes(**setting).fit(frame(PEOPLE), y)
    np.testing.assert_allclose(
        model.predict_proba(frame(PEOPLE)), NaiveBayes(**setting).fit(PEOPLE, y).predict_proba(PEOPLE)
    )


def test_no_bit_depends_on_the_number_of_threads(monkeypatch):
    many = rng.normal(size=(4000, 1))
    label = rng.integers(0, 2, 4000)
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("probus.naive_bayes._posterior.thread_count", lambda *_, threads=threads: threads)
        answers.append(NaiveBayes(numeric="kernel").fit(many, label).predict_proba(many))
    np.testing.assert_array_equal(*answers)


# -- hard cases ----------------------------------------------------------------------------------------


@every_setting
def test_a_constant_column_is_ignored(setting):
    still = PEOPLE.with_columns(probus.Column.numbers("dose", np.full(N, 0.1)))
    model = NaiveBayes(**setting).fit(still, y)
    assert (model.contributions(still)[:, 2] == 0).all()
    changed = still.with_columns(probus.Column.numbers("dose", np.full(N, 7.0)))
    np.testing.assert_array_equal(model.predict_proba(changed), model.predict_proba(still))


@every_setting
def test_a_column_without_values_is_ignored(setting):
    gone = PEOPLE.with_columns(
        probus.Column.numbers("dose", np.full(N, np.nan)), probus.Column.labels("blood", [None] * N)
    )
    model = NaiveBayes(**setting).fit(gone, y)
    np.testing.assert_allclose(model.contributions(gone)[:, 1:], 0.0, atol=1e-15)


@every_setting
def test_a_class_without_values_takes_those_of_all(setting):
    table = probus.Table.of({"v": [1.0, 2.0, 4.0, None, None]}, infer=False)
    model = NaiveBayes(**setting).fit(table, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(model.contributions(table), 0.0, atol=1e-12)


@every_setting
def test_a_class_of_one_value_is_certain_but_finite(setting):
    model = NaiveBayes(**setting).fit([[1.0], [1.0], [0.0], [2.0]], [0, 0, 1, 1])
    log_posterior = model.predict_log_proba([[1.0], [5.0], [1e6]])
    assert np.isfinite(log_posterior).all()
    np.testing.assert_array_equal(model.predict([[1.0], [5.0]]), [0, 1])


def test_levels_never_seen_count_as_missing_with_a_warning():
    model = NaiveBayes().fit(PEOPLE, y)
    new = pl.DataFrame({"age": [50.0], "blood": ["AB"], "dose": [10.0]})
    with pytest.warns(UnseenLevelWarning, match="'blood': 'AB'"):
        odds = model.predict_proba(new)
    unknown = probus.Table.of({"age": [50.0], "blood": [None], "dose": [10.0]}, infer=False)
    np.testing.assert_array_equal(odds, model.predict_proba(unknown))


def test_a_normal_density_is_scipys():
    model = NaiveBayes(var_smoothing=1e-300).fit(AGE[:, None], y)
    joint = model.predict_joint_log_proba([[50.0]])[0]
    expected = [
        norm(AGE[y == c].mean(), AGE[y == c].std()).logpdf(50.0) + np.log(np.mean(y == c)) for c in ("ill", "well")
    ]
    np.testing.assert_allclose(joint, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"numeric": "normal"}, "The 'numeric' parameter of NaiveBayes must be a str among {'gaussian', 'kernel'}"),
        ({"smoothing": "none"}, "The 'smoothing' parameter of NaiveBayes must be a str among"),
        ({"alpha": 0}, "The 'alpha' parameter of NaiveBayes must be a float in the range"),
        ({"bandwidth": "wide"}, "The 'bandwidth' parameter of NaiveBayes must be"),
        ({"priors": [1.0]}, "Number of priors must match number of classes."),
        (
            {"smoothing": "epsilon", "epsilon": 0.6},
            "epsilon=0.6 for each of 2 levels that do not occur in a class leaves no probability for those that do.\n"
            "  Expected epsilon below 1 / rows. Pass a smaller epsilon, or None.",
        ),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError) as error:
        NaiveBayes(**parameters).fit(PEOPLE, np.where(BLOOD == "A", "yes", "no"))
    assert message in str(error.value).replace("{'kernel', 'gaussian'}", "{'gaussian', 'kernel'}")


def test_text_is_refused_by_name():
    table = probus.Table([*PEOPLE, probus.Column.text("note", ["text"] * N)])
    with pytest.raises(probus.DataError, match=r"NaiveBayes does not accept text columns: 'note' \(text\)"):
        NaiveBayes().fit(table, y)


def test_loaded_tables_must_fit_the_schema():
    model = NaiveBayes(numeric="kernel").fit(PEOPLE, y)
    model.check_fitted_state()
    model.log_prob_ = model.log_prob_[:, :2]
    with pytest.raises(probus.ModelFileError, match=r"2 numeric columns and 2 levels(.|\n)*2 and 3"):
        model.check_fitted_state()


@pytest.mark.parametrize("counts", [[[1, 2], [3, 4]], [[2**62] * 2] * 2, None])
def test_loaded_kernels_must_be_whole(counts):
    model = NaiveBayes(numeric="kernel").fit(PEOPLE, y)
    model.kernel_count_ = None if counts is None else np.array(counts)
    with pytest.raises(probus.ModelFileError, match="incomplete kernel densities"):
        model.check_fitted_state()


def test_a_loaded_kernel_density_must_have_values():
    model = NaiveBayes(numeric="kernel").fit(PEOPLE, y)
    model.kernel_count_ = np.array([[0, model.kernel_count_[0].sum()], model.kernel_count_[1]])
    with pytest.raises(probus.ModelFileError, match="a kernel density of no values"):
        model.check_fitted_state()


def test_no_class_is_surer_of_a_number_than_the_column_can_show():
    """All insects have six legs. The smallest difference between values is 2, so the variance is at least 4/12."""
    legs = np.array([4.0, 4, 0, 6, 6, 6])
    model = NaiveBayes(var_smoothing=1e-12).fit(legs[:, None], ["m", "m", "m", "i", "i", "i"])
    np.testing.assert_allclose(model.var_, [[4 / 12], [32 / 9]])
