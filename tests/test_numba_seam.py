"""What is written for one version of Numba is in one package, and plain functions beside it return the same."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import probus
from probus.numba_seam import _versions as versions
from probus.numba_seam import code_lanes, distance_lanes, instructions
from probus.numba_seam.code_lanes import BLOCK
from probus.numba_seam.distance_lanes import FAN, LEAF

RNG = np.random.default_rng(0)
SOURCES = Path(probus.__file__).parent
DOCUMENTED = {"numba.core.event"}


def both(module, name):
    return getattr(module, f"written_{name}"), getattr(module, f"plain_{name}")


@pytest.mark.parametrize("name", ["ones", "trailing_zeros"])
def test_bits_are_counted_alike(name):
    words = [*RNG.integers(0, 2**63, 50, dtype=np.uint64), *(np.uint64(1) << np.arange(64, dtype=np.uint64)), 0]
    results = []
    for function in both(instructions, name):

        @njit
        def kernel(word, function=function):
            return function(word)

        results.append([int(kernel(np.uint64(word))) for word in words])
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_lanes_of_codes_are_read_alike(dtype):
    codes = RNG.integers(0, 200, (40, 2 * BLOCK)).astype(dtype)
    rows, loads = RNG.permutation(40)[:20].astype(np.uint32), RNG.integers(0, 8, 20, dtype=np.uint64) * np.uint64(257)
    cuts, pairs = RNG.integers(0, 200, 2 * BLOCK).astype(dtype), RNG.normal(size=(20, 2))
    results = []
    for k in range(2):
        ranges, count_two, add_row, widen, sum_pairs = (
            both(code_lanes, name)[k] for name in ("ranges", "count_two", "add_row", "widen", "sum_pairs")
        )

        @njit
        def kernel(
            codes, rows, loads, cuts, pairs, low, high, counts, part, sums,
            ranges=ranges, count_two=count_two, add_row=add_row, widen=widen, sum_pairs=sum_pairs,
        ):  # fmt: skip
            ranges(codes, rows, BLOCK, low, high)
            count_two(codes, rows, loads, BLOCK, cuts, (0, 8), counts)
            for row in rows:
                add_row(codes, np.uint64(row), BLOCK, cuts, np.uint8(3), part, np.uint64(1))
            widen(part[1], counts[0], BLOCK)
            sum_pairs(codes, rows, pairs, BLOCK, cuts, sums)
            sum_pairs(codes, rows, pairs, BLOCK + BLOCK // 2, cuts, sums)

        out = (
            np.zeros(2 * BLOCK, dtype), np.zeros(2 * BLOCK, dtype), np.ones((2, 2 * BLOCK), np.uint32),
            np.zeros((2, 2 * BLOCK), np.uint8), np.zeros((2, 2 * BLOCK)),
        )  # fmt: skip
        kernel(codes, rows, loads, cuts, pairs, *out)
        results.append(out)
    for written, plain in zip(*results, strict=True):
        np.testing.assert_array_equal(written, plain)
    assert results[0][0][BLOCK:].tolist() == codes[rows, BLOCK:].min(axis=0).tolist()
    left = codes[rows][:, BLOCK:] <= cuts[BLOCK:]
    np.testing.assert_allclose(results[0][4][:, BLOCK:], pairs.T @ left)


@pytest.mark.parametrize(
    ("name", "width", "bounds"),
    [("squares_to_rows", LEAF, 1), ("squares_to_boxes", FAN, 2), ("squares_to_corners", FAN, 2)],
)
def test_squared_distances_are_summed_alike(name, width, bounds):
    queries, first = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 4, width))
    arrays = [first, first + RNG.random(first.shape)][:bounds]
    results = []
    for function in both(distance_lanes, name):
        if bounds == 1:

            @njit
            def kernel(queries, low, away, function=function):
                return function(queries, 2, low, 1, 3.0, away)

        else:

            @njit
            def kernel(queries, low, high, away, function=function):
                return function(queries, 2, low, high, 1, 3.0, away)

        away = np.empty(width)
        results.append((kernel(queries, *arrays, away), away))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[0][1], results[1][1])


def test_a_version_that_was_not_tried_gets_the_plain_functions(monkeypatch):
    assert versions.chosen("written", "plain") == "written"
    monkeypatch.setattr(versions, "TRIED", ((0, 1), (0, 2)))
    assert versions.chosen("written", "plain") == "plain"


USE = """
import sys
import numpy as np
if sys.argv[1] == "plain":
    from probus.numba_seam import _versions as versions
    versions.TRIED = (0, 1), (0, 2)
from probus.association import frequent_itemsets
from probus.ensemble import ExtraTreesClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from probus.neighbors import NearestNeighbors
random = np.random.default_rng(0)
X = np.round(random.normal(size=(500, 5)), 2)
y = X[:, 0] + X[:, 1] ** 2
print(RandomForestClassifier(5, random_state=0).fit(X, y > 1).predict_proba(X).tolist())
print(ExtraTreesClassifier(5, random_state=0).fit(X, y > 1).predict_proba(X).tolist())
print(HistGradientBoostingRegressor(max_iter=5, n_jobs=2).fit(X, y).predict(X).tolist())
print([part.tolist() for part in NearestNeighbors(n_neighbors=3, algorithm="kd_tree").fit(X).kneighbors(X[:50])])
print(len(frequent_itemsets(X > 0, kind="closed")))
"""


@pytest.mark.slow
def test_models_are_the_same_without_what_is_written_for_a_version(tmp_path):
    printed = []
    for which in ("written", "plain"):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / which)}
        done = subprocess.run([sys.executable, "-c", USE, which], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0]) > 1000


def test_no_other_module_uses_the_inside_of_numba():
    found = {}
    for source in sorted(SOURCES.rglob("*.py")):
        if source.parent.name == "numba_seam":
            continue
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{each.name}" for each in node.names]
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            inside = ("numba.core", "numba.np", "numba.cpython", "numba.extending", "llvmlite.ir")
            used = [name for name in names if name.startswith(inside) and name not in DOCUMENTED]
            if used:
                found[str(source)] = used
    assert found == {}
