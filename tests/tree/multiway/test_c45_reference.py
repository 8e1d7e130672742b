"""C45Classifier against a second C4.5: recursive Python over dicts, every row on its own, nothing shared but the data.

It follows release 8: an empty leaf for every level that no row has, subtree raising row by row.
"""

from itertools import pairwise
from math import log2, sqrt

import numpy as np
import pytest

from probus import Column, Table, datasets
from probus.tree.multiway import C45Classifier

CLOSE = 1e-9

# A row is (values by column, class, weight); a node is a dict of class weights and, if split, column, threshold, below.


def weights(rows):
    counts = {}
    for _, label, w in rows:
        counts[label] = counts.get(label, 0.0) + w
    return counts


def total(rows):
    return sum(w for _, _, w in rows)


def entropy(sizes):
    n = sum(sizes)
    return -sum(s / n * log2(s / n) for s in sizes if s > 0) if n > 0 else 0.0


def branches(rows, column, threshold, levels):
    """Rows whose value is known, by branch; and those whose value is missing."""
    known = {level: [] for level in (levels[column] if threshold is None else ("<=", ">"))}
    missing = []
    for row in rows:
        value = row[0][column]
        if value is None:
            missing.append(row)
        else:
            known[value if threshold is None else "<=" if value <= threshold else ">"].append(row)
    return known, missing


def gain_and_split_info(known, missing, min_cases):
    sizes = [total(part) for part in known.values()]
    n_known, n = sum(sizes), sum(sizes) + total(missing)
    if sum(size >= min_cases - CLOSE for size in sizes) < 2:
        return None
    before = entropy(weights([row for part in known.values() for row in part]).values())
    after = sum(
        size / n_known * entropy(weights(part).values()) for size, part in zip(sizes, known.values(), strict=True)
    )
    return n_known / n * (before - after), entropy([*sizes, total(missing)])


def best_cut(rows, column, n_classes, min_cases):
    """Gain after its cost, split information and the midpoint."""
    with_value = [row for row in rows if row[0][column] is not None]
    least = max(min(0.1 * total(with_value) / n_classes, 25), min_cases) - CLOSE
    values = sorted({row[0][column] for row in with_value})
    found = []
    for low, high in pairwise(values):
        known, missing = branches(rows, column, low, None)
        if all(total(part) >= least for part in known.values()):
            gain, info = gain_and_split_info(known, missing, 0)
            found.append((gain, info, (low + high) / 2))
    if not found:
        return None
    most = max(gain for gain, _, _ in found)
    gain, info, middle = next(cut for cut in found if cut[0] > most - CLOSE)
    gain -= log2(len(found)) / total(rows)
    return (gain, info, middle) if gain > CLOSE else None


def grow(rows, used, problem):
    counts = weights(rows)
    node = {"counts": counts}
    n, largest = sum(counts.values()), max(counts.values(), default=0.0)
    if n - largest < CLOSE or n < 2 * problem["min_cases"] - CLOSE:
        return node
    candidates = []
    for column, levels in problem["levels"].items():
        if levels is None:
            cut = best_cut(rows, column, problem["n_classes"], problem["min_cases"])
            if cut:
                candidates.append((column, *cut))
        elif column not in used:
            measured = gain_and_split_info(*branches(rows, column, None, problem["levels"]), problem["min_cases"])
            if measured:
                candidates.append((column, *measured, None))
    sizes = {c: len(levels) if levels is not None else 0 for c, levels in problem["levels"].items()}
    few = [c for c in sizes if sizes[c] < 0.3 * problem["n"]] or list(sizes)
    averaged = [gain for column, gain, _, _ in candidates if column in few]
    if not averaged:
        return node
    average = sum(averaged) / len(averaged)
    worth = [(g / i, c, m) for c, g, i, m in candidates if g >= average - 1e-3 and i > 1e-3]
    if not worth:
        return node
    most = max(ratio for ratio, _, _ in worth)
    ratio, column, middle = next(w for w in worth if w[0] > most - CLOSE)
    if middle is not None:
        middle = max(v for v in problem["values"][column] if v <= middle)
    node |= {"column": column, "threshold": middle, "ratio": ratio, "below": {}}
    known, missing = branches(rows, column, middle, problem["levels"])
    n_known = sum(total(part) for part in known.values())
    for level, part in known.items():
        share = total(part) / n_known
        part = part + [(x, label, w * share) for x, label, w in missing] if part else []
        node["below"][level] = grow(part, used | {column}, problem)
    if training_errors(node) >= n - largest - 1e-3:
        return {"counts": counts}
    return node


def training_errors(node):
    if "below" in node:
        return sum(training_errors(child) for child in node["below"].values())
    return sum(node["counts"].values()) - max(node["counts"].values(), default=0.0)


def added(n, e, cf):
    if e < 1e-12:
        return n * (1 - cf ** (1 / n))
    if e < 1:
        return added(n, 0, cf) + e * (added(n, 1, cf) - added(n, 0, cf))
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    assert cf == 0.25
    z2 = (0.84 + (0.25 - 0.84) / 4) ** 2  # a quarter of the way from the quantile at 0.20 to that at 0.40
    f = (e + 0.5) / n
    return n * (f + z2 / (2 * n) + sqrt(z2 / n * (f * (1 - f) + z2 / (4 * n)))) / (1 + z2 / n) - e


def leaf_estimate(rows, cf):
    n = total(rows)
    if n < CLOSE:
        return 0.0
    e = n - max(weights(rows).values())
    return e + added(n, e, cf)


def estimate(node, rows, problem):
    """The errors expected of a subtree for these rows."""
    if not rows:
        return 0.0
    if "below" not in node:
        return leaf_estimate(rows, problem["cf"])
    return sum(estimate(node["below"][k], part, problem) for k, part in sent(node, rows, problem).items())


def sent(node, rows, problem):
    known, missing = branches(rows, node["column"], node["threshold"], problem["levels"])
    n_known = sum(total(part) for part in known.values())
    return {
        k: part + [(x, label, w * total(part) / n_known) for x, label, w in missing] if part else []
        for k, part in known.items()
    }


def prune(node, rows, problem):
    """The pruned subtree and the errors expected of it."""
    node = {**node, "counts": weights(rows)}
    as_leaf = leaf_estimate(rows, problem["cf"])
    if "below" not in node or not rows:
        return {"counts": node["counts"]}, as_leaf
    pruned = {k: prune(node["below"][k], part, problem) for k, part in sent(node, rows, problem).items()}
    node["below"] = {k: child for k, (child, _) in pruned.items()}
    as_tree = sum(errors for _, errors in pruned.values())
    heaviest = max(node["below"].values(), key=lambda child: round(sum(child["counts"].values()), 9))
    as_branch = estimate(heaviest, rows, problem) if problem["raising"] else float("inf")
    if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
        return {"counts": node["counts"]}, as_leaf
    if as_branch <= as_tree + 0.1:
        return prune(heaviest, rows, problem)
    return node, as_tree


def reference(table, y, *, min_cases=2, confidence=0.25, raising=True, w=None):
    columns = {c.name: [None if m else v for v, m in zip(c.decoded().tolist(), c.missing, strict=True)] for c in table}
    w = [1.0] * len(y) if w is None else w
    rows = [({name: cells[i] for name, cells in columns.items()}, y[i], w[i]) for i in range(len(y)) if w[i] > 0]
    problem = {
        "levels": {c.name: c.levels if c.kind.has_levels else None for c in table},
        "values": {name: {row[0][name] for row in rows} - {None} for name in columns},
        "n_classes": len(set(y)),
        "n": total(rows),
        "min_cases": min_cases,
        "cf": confidence,
        "raising": raising,
    }
    root = grow(rows, frozenset(), problem)
    return root if confidence is None else prune(root, rows, problem)[0]


# -- comparing -----------------------------------------------------------------------------------------


def assert_same(model, node, mine):
    """The fitted tree below ``mine`` is the reference's below ``node``, split for split."""
    tree, classes = model.tree_, model.classes_.tolist()
    expected = [node["counts"].get(label, 0.0) for label in classes]
    np.testing.assert_allclose(tree.counts[mine], expected, atol=1e-8)
    if "below" not in node:
        assert tree.is_leaf[mine]
        return
    column = tree.feature[mine]
    field = model.schema_[int(column)]
    assert field.name == node["column"]
    np.testing.assert_allclose(tree.score[mine], node["ratio"], atol=1e-8)
    children = list(tree.children_of(mine))
    if node["threshold"] is not None:
        assert tree.threshold[mine] == node["threshold"]
        for child, side in zip(children, ("<=", ">"), strict=True):
            assert_same(model, node["below"][side], child)
        return
    routes = tree.routes_of(mine)
    for level, route in zip(field.levels, routes[:-1], strict=True):
        if route < 0:
            assert sum(node["below"][level]["counts"].values()) == 0
        else:
            assert_same(model, node["below"][level], children[route])


def assert_grows_like_twin(table, y, w=None, **params):
    raising = params.pop("subtree_raising", True)
    model = C45Classifier(subtree_raising=raising, **params).fit(table, y, sample_weight=w)
    assert_same(model, reference(table, y, raising=raising, w=w, **params), 0)
    return model


WAYS = [{}, {"subtree_raising": False}, {"confidence": None}, {"min_cases": 5}]


@pytest.mark.parametrize("params", WAYS, ids=str)
def test_house_votes_grow_the_reference_tree(params):
    votes = datasets.house_votes()
    assert_grows_like_twin(votes.drop("party"), votes["party"].decoded().tolist(), **params)


def soybean_like(n=160, seed=0):
    """Many nominal columns of few levels, many classes, values missing together, as in the soybean data."""
    rng = np.random.default_rng(seed)
    disease = rng.integers(0, 9, n)
    columns = []
    for j in range(14):
        n_levels = int(rng.integers(2, 6))
        usual = rng.integers(0, n_levels, 9)[disease]
        codes = np.where(rng.random(n) < 0.25, rng.integers(0, n_levels, n), usual)
        gone = (rng.random(n) < 0.04) | ((disease == 3) & (j > 8))
        cells = [None if g else f"v{c}" for c, g in zip(codes, gone, strict=True)]
        columns.append(Column.labels(f"c{j}", cells))
    return Table(columns), [f"d{k}" for k in disease]


@pytest.mark.parametrize("params", WAYS, ids=str)
def test_data_like_soybean_grow_the_reference_tree(params):
    assert_grows_like_twin(*soybean_like(), **params)


def mixed(n, seed, *, rare=False):
    """Numbers with ties and missing values beside levels; classes that depend on both."""
    rng = np.random.default_rng(seed)
    height = rng.normal(size=n).round(1)
    width = rng.integers(0, 6, n) * 1.0
    colour = rng.integers(0, 12 if rare else 4, n)
    score = height + (colour % 3) - 0.4 * width + rng.normal(scale=0.7, size=n)
    y = np.digitize(score, [-0.5, 0.8])
    height[rng.random(n) < 0.15] = np.nan
    cells = [None if rng.random() < 0.1 else f"k{c}" for c in colour]
    noise = Column.numbers("noise", rng.random(n).round(2))
    table = Table(
        [Column.numbers("height", height), Column.labels("colour", cells), Column.numbers("width", width), noise]
    )
    return table, y.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_numbers_levels_and_missing_values_grow_the_reference_tree(seed):
    assert_grows_like_twin(*mixed(90, seed, rare=seed % 2 == 1))


@pytest.mark.parametrize("seed", range(2))
def test_weighted_rows_grow_the_reference_tree(seed):
    table, y = mixed(80, seed)
    w = np.random.default_rng(seed).integers(0, 5, 80) / 2
    assert_grows_like_twin(table, y, w=w)


def assert_raised(table, y):
    raising = assert_grows_like_twin(table, y)
    plain = C45Classifier(subtree_raising=False).fit(table, y)
    assert raising.tree_.node_count != plain.tree_.node_count


@pytest.mark.parametrize(("n", "seed"), [(94, 16), (37, 34)])
def test_subtrees_are_raised_as_in_the_reference(n, seed):
    assert_raised(*mixed(n, seed))


@pytest.mark.parametrize(("n", "seed"), [(74, 144), (56, 219)])
def test_raising_adds_leaves_for_levels_that_are_new_to_the_subtree(n, seed):
    assert_raised(*soybean_like(n, seed))
