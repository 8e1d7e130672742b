"""Rows in clusters, such as several of one person: intervals that allow for these, and hold."""

import numpy as np
import pytest

import probus
from probus.data import Task
from probus.errors import DataError
from probus.fairness import MetricFrame, audit, demographic_parity_difference, equalized_odds_difference, selection_rate
from probus.linear_model import LogisticRegression


def clustered(rng, sizes, shares, spread):
    """Groups of clusters: the share of a cluster is beta distributed around that of its group."""
    group, cluster, selected = [], [], []
    for code, (size, share) in enumerate(zip(sizes, shares, strict=True)):
        for _ in range(size):
            n = rng.integers(1, 9)
            p = rng.beta(share * spread, (1 - share) * spread)
            group += [code] * n
            cluster += [len(set(cluster))] * n
            selected += (rng.random(n) < p).astype(int).tolist()
    return np.array(group), np.array(cluster), np.array(selected)


def test_copies_of_rows_add_nothing():
    rng = np.random.default_rng(0)
    y, selected, group = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.choice(list("ab"), 300)
    once = equalized_odds_difference(y, selected, sensitive_features=group, groups=np.arange(300))
    plain = equalized_odds_difference(y, selected, sensitive_features=group)
    copies = [np.repeat(each, 4) for each in (y, selected, group, np.arange(300))]
    four = equalized_odds_difference(*copies[:2], sensitive_features=copies[2], groups=copies[3])
    without = equalized_odds_difference(*copies[:2], sensitive_features=copies[2])
    assert (four.low, four.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert (once.low, once.high) == pytest.approx((plain.low, plain.high), abs=0.01)  # Student's t for normal
    assert without.high - without.value < 0.6 * (four.high - four.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "shares", "spread"),
    [((60, 60), (0.3, 0.3), 1.0), ((25, 80, 40), (0.2, 0.5, 0.4), 2.0), ((40, 15), (0.1, 0.15), 1.0)],
)
def test_intervals_hold_where_rows_of_a_cluster_are_alike(sizes, shares, spread):
    rng, draws, held, naive = np.random.default_rng(8), 120, 0, 0
    truth = np.ptp(shares)
    for _ in range(draws):
        group, cluster, selected = clustered(rng, sizes, shares, spread)
        y = np.resize([0, 1], len(group))
        found = demographic_parity_difference(y, selected, sensitive_features=group, groups=cluster)
        held += found.low <= truth <= found.high
        plain = demographic_parity_difference(y, selected, sensitive_features=group)
        naive += plain.low <= truth <= plain.high
    assert held / draws >= 0.92
    assert held > naive


def test_the_audit_reads_the_groups_of_its_task():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(60), 5)
    x = rng.normal(size=60)[person] + 0.2 * rng.normal(size=300)
    sex = rng.choice(["f", "m"], 60)[person]
    rows = {"x": x, "sex": sex, "person": person.astype(str), "y": (x + rng.normal(size=300) > 0).astype(int)}
    selected = (x > 0).astype(int)
    alone = audit(selected, rows, target="y", sensitive="sex").verdict("demographic_parity").difference
    found = audit(selected, rows, target="y", sensitive="sex", groups="person")
    gap = found.verdict("demographic_parity").difference
    assert gap.value == alone.value
    assert gap.high > alone.high + 0.05
    assert "60 clusters" in repr(found)
    task = Task(rows, target="y", sensitive="sex", group="person")
    resampled = audit(probus.resample(LogisticRegression(), task, cv=3))
    assert any("60 clusters" in note for note in resampled.notes)
    numbers = audit(x, {**rows, "y": 1.0 * x + rng.normal(size=300)}, target="y", sensitive="sex", groups="person")
    single = audit(x, {**rows, "y": 1.0 * x + rng.normal(size=300)}, target="y", sensitive="sex")
    assert numbers.verdict("equal_errors").state in ("undecided", "holds", "violated")
    assert numbers.rows == single.rows


def test_metrics_by_group_allow_for_clusters():
    rng = np.random.default_rng(2)
    y, selected, group, cluster = (
        rng.integers(0, 2, 80),
        rng.integers(0, 2, 80),
        rng.choice(list("ab"), 80),
        np.arange(80),
    )
    copies = [np.repeat(each, 3) for each in (y, selected, group, cluster)]
    for metric in (selection_rate, "f1", lambda a, b: float(np.mean(b))):
        single = MetricFrame(metrics=metric, y_true=y, y_pred=selected, sensitive_features=group).intervals()[0]
        frame = MetricFrame(metrics=metric, y_true=copies[0], y_pred=copies[1], sensitive_features=copies[2])
        found = frame.intervals(groups=copies[3])[0]
        assert found.difference.high == pytest.approx(single.difference.high, rel=0.15)
        assert frame.intervals()[0].difference.high < 0.9 * found.difference.high


@pytest.mark.parametrize(
    ("groups", "text"), [([1, 2], "groups has 2 rows and y has 4."), (["a"] * 4, "one cluster in groups.")]
)
def test_errors_say_what_is_expected(groups, text):
    with pytest.raises(DataError) as raised:
        demographic_parity_difference([0, 1, 1, 0], [1, 0, 1, 0], sensitive_features=list("abab"), groups=groups)
    assert text in str(raised.value)
