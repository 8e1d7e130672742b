"""Groups are found where there are some, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import adjusted_rand_score, silhouette_score

from probus.cluster import KMedoids
from probus.data import Table
from probus.exploration._fair_distance import FairDistance
from probus.exploration._group_search import GrouplessTables, _mean_silhouette, search_groups, unimodal
from probus.exploration._related_columns import pair_pvalues
from probus.exploration._row_groups import find_groups


@pytest.mark.parametrize("shape", ["numbers", "levels", "mixed", "cloud"])
@pytest.mark.parametrize("seed", [1, 2])
def test_tables_without_groups_have_none(without_groups: Any, shape: str, seed: int) -> None:
    table = without_groups(shape, seed)
    found = find_groups(table, 2000, 0)
    assert not len(found)
    assert found.sentence().startswith("No groups: ")
    assert not found.labels.any()


@pytest.mark.parametrize("seed", [1, 2])
def test_planted_groups_are_found(with_groups: Any, seed: int) -> None:
    table, group = with_groups(seed)
    found = find_groups(table, 2000, 0)
    assert len(found) == 3
    assert all(each.stable for each in found.groups)
    assert adjusted_rand_score(group, found.labels) > 0.8
    assert [each.rows for each in found.groups] == np.bincount(found.labels)[1:].tolist()
    assert any("colour = " in mark for each in found.groups for mark in each.marks)
    assert not any("noise" in mark for each in found.groups for mark in each.marks)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["cone", "ring", "curve", "banana"])
def test_the_parts_of_a_shape_without_gaps_are_no_groups(shape: str) -> None:
    found = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 300])
        t, u = rng.random(200), rng.uniform(-1, 1, (200, 3))
        rows = {
            "cone": np.column_stack([t, t[:, None] * u]),
            "ring": np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]) * (1 + 0.05 * u[:, :1]),
            "curve": np.column_stack([3 * t - 1.5, (3 * t - 1.5) ** 2, (3 * t - 1.5) ** 3 / 2]) + 0.15 * u,
            "banana": np.column_stack([np.cos(np.pi * t), np.sin(np.pi * t), 0 * t]) + 0.2 * u,
        }[shape]
        groups = find_groups(Table.of(rows), 2000, seed)
        found.append(len(groups))
        assert groups.search is not None
    assert found.count(0) >= 6 - (shape == "ring")


@pytest.mark.slow
def test_three_separated_groups_in_six_columns_are_three() -> None:
    right = []
    for seed in range(8):
        rng = np.random.default_rng([seed, 400])
        centres = [np.zeros(6)]
        while len(centres) < 3:
            step = rng.normal(size=6)
            centre = centres[-1] + step / np.linalg.norm(step) * rng.uniform(8, 14)
            if min(np.linalg.norm(centre - other) for other in centres) >= 8:
                centres.append(centre)
        group = rng.choice(3, 180, p=[0.5, 0.3, 0.2])
        found = find_groups(Table.of(np.array(centres)[group] + rng.normal(size=(180, 6))), 2000, seed)
        right.append(len(found) == 3 and adjusted_rand_score(group, found.labels) > 0.9)
    assert sum(right) >= 7


def test_groups_of_a_curve_are_refused_for_want_of_gaps() -> None:
    t = np.linspace(-1.5, 1.5, 150)
    rows = np.column_stack([t, t**2]) + np.random.default_rng(0).normal(size=(150, 2)) * 0.05
    assert find_groups(Table.of(rows), 2000, 0).sentence() == (
        "No groups: those that appear have no gap between them, as the parts of one shape."
    )


def test_rows_beyond_the_sample_are_assigned(with_groups: Any) -> None:
    table, group = with_groups(4, n=400)
    found = find_groups(table, 150, 0)
    assert found.sampled == 150
    assert found.labels.shape == (400,)
    assert adjusted_rand_score(group, found.labels) > 0.8


def test_a_wild_value_hides_no_groups(with_groups: Any) -> None:
    table, group = with_groups(5)
    values = {name: list(cells) for name, cells in table.to_dict().items()}
    values["height"][0] = 1e9
    wild = Table.of(values)
    found = find_groups(wild, 2000, 0)
    assert adjusted_rand_score(group, found.labels) > 0.8


def test_silhouettes_are_scikit_learns(with_groups: Any) -> None:
    table, _ = with_groups(6, n=60)
    distance = FairDistance.of(table)
    D = distance.matrix(distance.clipped(table))
    labels = KMedoids(3, metric="precomputed").fit_predict(D)
    assert _mean_silhouette(D, labels, 3) == pytest.approx(silhouette_score(D, labels, metric="precomputed"))


def test_too_few_rows_are_not_searched() -> None:
    assert search_groups(Table.of({"x": np.arange(19.0)}), np.random.default_rng(0)) is None


def test_tables_without_groups_keep_margins_correlations_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    gappy = np.where(rng.random(3000) < 0.3, np.nan, np.exp(x[:, 1]))
    table = Table.of({"x": x[:, 0], "skewed": gappy, "level": rng.choice(list("aab"), 3000)})
    drawn = GrouplessTables(table).draw(rng)
    assert drawn.kinds == table.kinds
    assert drawn["skewed"].missing.sum() == table["skewed"].missing.sum()
    assert (drawn["level"].values == 0).mean() == pytest.approx(2 / 3, abs=0.03)
    both = ~drawn["skewed"].missing
    logs = np.log(np.maximum(drawn["skewed"].values[both], 1e-3))
    assert np.corrcoef(drawn["x"].values[both], logs)[0, 1] == pytest.approx(0.8, abs=0.08)
    assert np.median(drawn["skewed"].values[both]) == pytest.approx(1.0, abs=0.15)


def test_nearest_unimodal_shares_match_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        counts = rng.integers(0, 6, 4) + 1
        steps = np.arange(0, 7.01, 0.5)
        grid = np.stack(np.meshgrid(steps, steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 4)
        rises = np.sign(np.diff(grid, axis=1))
        falls_after = (np.maximum.accumulate(rises == -1, axis=1) & (rises == 1)).any(axis=1)
        errors = ((grid - counts) ** 2).sum(axis=1)[~falls_after]
        shares = unimodal(counts) * counts.sum()
        assert ((shares - counts) ** 2).sum() <= errors.min() + 1e-9
        change = np.sign(np.diff(shares).round(9))
        assert not (np.maximum.accumulate(change == -1) & (change == 1)).any()


def test_fences_and_weights_make_columns_count_alike() -> None:
    rng = np.random.default_rng(0)
    table = Table.of({"x": np.append(rng.normal(size=199), 1e6), "coin": rng.choice(["a", "b"], 200)})
    distance = FairDistance.of(table)
    assert distance.clipped(table)["x"].values.max() < 10
    x = np.sort(distance.clipped(table)["x"].values)
    mean = np.abs(x[:, None] - x).mean() / np.ptp(x)
    assert distance.weights["x"] == pytest.approx(1 / max(mean, 0.2))
    shares = np.bincount(table["coin"].values) / 200
    assert distance.weights["coin"] == pytest.approx(1 / (1 - (shares**2).sum()))


def test_pvalues_of_pairs_are_scipys() -> None:
    rng = np.random.default_rng(0)
    first = rng.choice(list("abc"), 200)
    second = np.where(rng.random(200) < 0.3, first, rng.choice(list("abc"), 200))
    gappy = np.where(rng.random(200) < 0.2, None, second)
    found = pair_pvalues(Table.of({"first": first, "second": second, "gappy": gappy}))
    known = gappy != None  # noqa: E711
    for a, b, place in ((first, second, (0, 1)), (first[known], second[known], (0, 2))):
        counts = [[((a == u) & (b == v)).sum() for u in "abc"] for v in "abc"]
        assert found[place] == pytest.approx(chi2_contingency(counts).pvalue)
    assert found[0, 0] == 1.0
