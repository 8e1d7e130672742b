import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.data import Table
from probus.distances import Gower, gower_distances
from probus.errors import DataError

LEVELS = ["a", "b", "c"]


@st.composite
def mixed_tables(draw):
    n = draw(st.integers(2, 12))
    number = st.one_of(st.none(), st.integers(-20, 20).map(float))
    columns = {f"n{j}": draw(st.lists(number, min_size=n, max_size=n)) for j in range(draw(st.integers(0, 2)))}
    level = st.one_of(st.none(), st.sampled_from(LEVELS))
    columns |= {f"c{j}": draw(st.lists(level, min_size=n, max_size=n)) for j in range(draw(st.integers(1, 2)))}
    columns["o"] = draw(st.lists(level, min_size=n, max_size=n))
    columns["flag"] = draw(st.lists(st.sampled_from([True, False]), min_size=n, max_size=n))
    table = Table.of({name: np.array(cells, dtype=object) for name, cells in columns.items()}, infer=False)
    return table.with_kinds(**{name: "nominal" for name in table.names if name[0] == "c"}, o=LEVELS)


def one_pair_at_a_time(table, weights, asymmetric):
    """The definition, pair by pair and column by column."""
    n = table.n_rows
    out = np.full((n, n), np.nan)
    for i in range(n):
        for k in range(n):
            above = below = 0.0
            for column, w in zip(table, weights, strict=True):
                x, z = column.values[i], column.values[k]
                if column.missing[i] or column.missing[k]:
                    continue
                if column.name in asymmetric and x == 0 and z == 0:
                    continue
                if column.kind in ("numeric", "ordinal"):
                    seen = column.values[~column.missing].astype(float)
                    d = abs(float(x) - float(z)) / (seen.max() - seen.min() or 1.0)
                else:
                    d = float(x != z)
                above, below = above + w * d, below + w
            if below > 0:
                out[i, k] = above / below
    return out


@settings(max_examples=60, deadline=None)
@given(mixed_tables(), st.booleans(), st.data())
def test_distances_follow_the_definition(table, asymmetric, data):
    weights = data.draw(
        st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(table.names), max_size=len(table.names))
    )
    chosen = ("flag",) if asymmetric else ()
    expected = one_pair_at_a_time(table, weights, chosen)
    np.testing.assert_allclose(gower_distances(table, weights=weights, asymmetric=chosen), expected, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(mixed_tables(), st.integers(1, 5))
def test_nearest_are_the_first_of_the_sorted_distances(table, k):
    k = min(k, table.n_rows)
    space = Gower(table)
    matrix = np.where(np.isnan(space.distances(table)), np.inf, space.distances(table))
    distances, rows = space.nearest(table, k)
    np.testing.assert_array_equal(rows, np.argsort(matrix, axis=1, kind="stable")[:, :k])
    np.testing.assert_array_equal(distances, np.sort(matrix, axis=1)[:, :k])


def test_flower_agrees_with_daisy():
    flower = json.loads((Path(__file__).parent / "flower.json").read_text())
    table = Table.of(flower["columns"])
    kinds = {
        name: sorted(set(flower["columns"][name]), key=float) if kind == "ordinal" else kind
        for name, kind in flower["kinds"].items()
    }
    matrix = gower_distances(table.with_kinds(**kinds))
    by_column = np.concatenate([matrix[j + 1 :, j] for j in range(len(matrix))])
    np.testing.assert_allclose(by_column, flower["distances"], atol=1e-10)


def test_two_tables_share_their_ranges():
    here, there = {"x": [0.0, 1.0]}, {"x": [3.0, 4.0]}
    np.testing.assert_allclose(gower_distances(here, there), [[0.75, 1.0], [0.5, 0.75]])


def test_the_answer_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    table = Table.of({"x": rng.normal(size=3000), "c": rng.choice(LEVELS, 3000)})
    one, two = (Gower(table).nearest(table, 4, n_jobs=n) for n in (1, 2))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_rows_that_cannot_be_compared_come_last():
    table = Table.of({"a": [1.0, np.nan, 2.0], "b": [np.nan, 5.0, np.nan]})
    distances, rows = Gower(table).nearest(table.take([0]), 3)
    assert rows.tolist() == [[0, 2, 1]]
    assert distances.tolist() == [[0.0, 1.0, np.inf]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [1.0]}, "2 numbers, none negative"),
        ({"weights": {"nowhere": 1.0}}, "no column 'nowhere'"),
        ({"weights": [-1.0, 1.0]}, "none negative"),
        ({"asymmetric": ["x"]}, "a binary column to be asymmetric"),
    ],
)
def test_bad_parameters_are_named(arguments, message):
    with pytest.raises(DataError, match=message):
        Gower(Table.of({"x": [1.0, 2.5], "c": ["a", "b"]}), **arguments)


def test_infinite_values_are_refused():
    with pytest.raises(DataError, match="'x' holds infinite values"):
        gower_distances({"x": [1.0, np.inf]})


def test_too_many_neighbours_are_refused():
    with pytest.raises(DataError, match="3 neighbours requested of 2 rows"):
        Gower(Table.of({"x": [1.0, 2.0]})).nearest({"x": [1.0]}, 3)
