"""Trees with surrogates are those of R 4.2, rpart 4.1.19; reference/README.md says how its figures were made.

Where Probus differs, and why:

- rpart drops a nominal surrogate that fewer than two rows disagree with, so also one that always agrees. Here the best
  surrogate there is stays. ``KEPT_HERE`` lists where that shows.
- rpart turns a split so that the left child has the lower mean, of class numbers where there are classes; here the left
  child has the smaller values. The rows part alike, and the nodes are matched accordingly.
- rpart stops at splits worth less than cp. Here that is pruning, at cp times the risk of the root.
- Where half the weight goes either way, rpart lets a row that no question can tell stop at the node; here it goes
  right. None of these trees has such a row.
- A new value that lies on a cut goes with the smaller values here, as in scikit-learn, and with the larger in rpart.
  It happens once, in cross-validation.

Ties fall alike: of columns that gain or agree as much (petal length and width at the root of iris, three surrogates of
node 3 of car90) the first counts, of cuts the lowest, and a level of a surrogate that is at home on either side goes
with the majority.
"""

import json
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from probus import Table, read
from probus.datasets import iris
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree._cost_complexity_cv import CostComplexityCV
from probus.tree._importance import surrogate_importances
from probus.tree._trees import Tree
from probus.tree.prune import impurity_risk, misclassification_risk, pruned, pruning_path

REFERENCE = Path(__file__).parent / "reference"
CLOSE = {"rtol": 1e-9, "atol": 1e-11}
SPLITS = {"missing": "surrogate", "min_samples_split": 20, "min_samples_leaf": 7}
KEPT_HERE = {("stagec", 2, "ploidy")}


class Twins(NamedTuple):
    """Our tree, pruned, and rpart's."""

    name: str
    model: Any
    X: Any  # the rows it was grown on
    y: np.ndarray
    all_rows: Any  # those, and rows that lack the target
    rpart: dict[str, Any]
    cp: float

    @property
    def tree(self) -> Tree:
        return self.model.tree_

    def pairs(self) -> list[tuple[int, dict[str, Any], bool]]:
        """Each of our nodes with what rpart says of it, and whether rpart calls our left child its left one."""
        told = {node["node"]: node for node in self.rpart["nodes"]}
        pairs, waiting = [], [(0, 1)]
        while waiting:
            t, number = waiting.pop()
            node = told.pop(number)
            same = "split" not in node or self.smaller_or_left(t, node["split"])
            pairs.append((t, node, same))
            if "split" in node:
                children = self.tree.children_left[t], self.tree.children_right[t]
                left, right = children if same else children[::-1]
                waiting += [(right, 2 * number + 1), (left, 2 * number)]
        assert not told
        return pairs

    def smaller_or_left(self, t: int, split: dict[str, Any]) -> bool:
        """Whether rpart's left child of a split has the smaller values, or the levels that go left in ours."""
        assert not self.tree.is_leaf[t], f"node {t} is a leaf, rpart asks {split}"
        if "cut" in split:
            return split["below"] == "left"
        return self.levels(split["column"], self.tree.levels_of(t)[0]) == set(split["left"])

    def levels(self, column: str, codes: np.ndarray) -> set[str]:
        return {self.X[column].levels[code] for code in codes}


def of_iris() -> tuple[Any, Any, Any]:
    flowers = iris()
    return DecisionTreeClassifier(missing="surrogate", max_surrogates=0), flowers, "species"


def of_stagec() -> tuple[Any, Any, Any]:
    return DecisionTreeClassifier(**SPLITS), read(REFERENCE / "stagec.csv"), "progressed"


def of_ozone() -> tuple[Any, Any, Any]:
    return DecisionTreeRegressor(**SPLITS), read(REFERENCE / "ozone.csv"), "V4"


def of_car90() -> tuple[Any, Any, Any]:
    return DecisionTreeRegressor(**SPLITS), read(REFERENCE / "car90.csv"), "Price"


SOURCES = {"iris": of_iris, "stagec": of_stagec, "ozone": of_ozone, "car90": of_car90}


def risk_of(tree: Tree) -> np.ndarray:
    """What rpart weighs against leaves: errors of classes, squared errors of numbers; as means over all rows."""
    return misclassification_risk(tree) if tree.max_n_classes > 1 else impurity_risk(tree)


@pytest.fixture(scope="module", params=list(SOURCES))
def twins(request) -> Twins:
    model, table, target = SOURCES[request.param]()
    rpart = json.loads((REFERENCE / f"rpart_{request.param}.json").read_text())
    known = table.take(~table[target].missing)
    X, y = known.drop(target), known[target].values
    full = model.fit(X, y).tree_
    cp = rpart["cp_table"][-1][0]
    model.tree_ = pruned(full, cp * risk_of(full)[0], risk_of(full))
    return Twins(request.param, model, X, y, table.drop(target), rpart, cp)


# -- the tree ------------------------------------------------------------------------------------------


def test_nodes_hold_the_same_rows_and_risks(twins):
    tree = twins.tree
    risk = risk_of(tree) * tree.weighted_n_node_samples[0]
    pairs = twins.pairs()
    assert len(pairs) == tree.node_count
    for t, node, _ in pairs:
        assert tree.n_node_samples[t] == node["n"]
        assert tree.is_leaf[t] == ("split" not in node)
        np.testing.assert_allclose(risk[t], node["risk"], **CLOSE)


def test_nodes_ask_the_same_questions(twins):
    tree = twins.tree
    for t, node, same in twins.pairs():
        if "split" not in node:
            continue
        split = node["split"]
        assert twins.X.names[tree.feature[t]] == split["column"]
        if "cut" in split:
            np.testing.assert_allclose(tree.threshold[t], split["cut"], **CLOSE)
        else:
            sides = tree.levels_of(t) if same else tree.levels_of(t)[::-1]
            assert [twins.levels(split["column"], side) for side in sides] == [set(split["left"]), set(split["right"])]


def gain_of_answered(twins: Twins) -> np.ndarray:
    """What each split gains on the rows that answer it themselves: for classes n times Gini, for numbers squares."""
    tree, seen = twins.tree, twins.model._seen(twins.X)
    passed = twins.model.decision_path(twins.X).toarray().astype(bool)
    targets = twins.y[:, None] == np.unique(twins.y) if tree.max_n_classes > 1 else twins.y[:, None]

    def risk(rows: np.ndarray) -> float:
        return ((targets[rows] - targets[rows].mean(axis=0)) ** 2).sum()

    gain = np.zeros(tree.node_count)
    for t in np.flatnonzero(~tree.is_leaf):
        here = passed[:, t] & ~np.isnan(seen[:, tree.feature[t]])
        gain[t] = risk(here) - sum(
            risk(here & passed[:, child[t]]) for child in (tree.children_left, tree.children_right)
        )
    return gain


def test_splits_improve_as_much(twins):
    gain = gain_of_answered(twins)
    for t, node, _ in twins.pairs():
        if "split" in node:
            improve = gain[t] if twins.tree.max_n_classes > 1 else gain[t] / node["risk"]
            np.testing.assert_allclose(improve, node["split"]["improve"], **CLOSE)


# -- surrogates ----------------------------------------------------------------------------------------


def surrogates_here(twins: Twins, t: int, number: int, same: bool) -> list[dict[str, Any]]:
    """The surrogates of a node in rpart's words, but for those that rpart drops."""
    tree, told = twins.tree, []
    for s in tree.surrogates.of(t):
        column = twins.X.names[tree.surrogates.feature[s]]
        if (twins.name, number, column) in KEPT_HERE:
            continue
        question = {"column": column}
        if tree.surrogates.subset[s] < 0:
            left = bool(tree.surrogates.flipped[s]) != same
            question |= {"cut": tree.surrogates.threshold[s], "below": "left" if left else "right"}
        else:
            sides = tree.surrogate_levels_of(s) if same else tree.surrogate_levels_of(s)[::-1]
            question |= dict(zip(("left", "right"), (twins.levels(column, side) for side in sides), strict=True))
        told.append(question | {"agreement": tree.surrogates.agreement[s], "adjusted": tree.surrogates.adjusted[s]})
    return told


def test_surrogates_are_the_same_in_the_same_order(twins):
    for t, node, same in twins.pairs():
        ours, theirs = surrogates_here(twins, t, node["node"], same), node.get("surrogates", [])
        assert [s["column"] for s in ours] == [s["column"] for s in theirs], node["node"]
        for our, their in zip(ours, theirs, strict=True):
            for figure in ("cut", "agreement", "adjusted"):
                if figure in their:
                    np.testing.assert_allclose(our[figure], their[figure], **CLOSE)
            if "cut" in their:
                assert our["below"] == their["below"]
            else:
                assert (our["left"], our["right"]) == (set(their["left"]), set(their["right"]))


def test_what_is_kept_here_and_not_there_is_nominal_and_agrees_but_for_a_row(twins):
    kept = {
        (twins.name, node["node"], twins.X.names[twins.tree.surrogates.feature[s]]): s
        for t, node, _ in twins.pairs()
        for s in twins.tree.surrogates.of(t)
    }
    here = {key for key in KEPT_HERE if key[0] == twins.name}
    assert here <= kept.keys()
    seen, at = twins.model._seen(twins.X), {node["node"]: t for t, node, _ in twins.pairs()}
    for key in here:
        s, t = kept[key], at[key[1]]
        in_node = twins.model.decision_path(twins.X).toarray()[:, t] == 1
        answered = (in_node & ~np.isnan(seen[:, twins.tree.feature[t]])).sum()
        assert twins.tree.surrogates.subset[s] >= 0
        assert round((1 - twins.tree.surrogates.agreement[s]) * answered) < 2


def test_predictions_of_all_rows_are_the_same(twins):
    predict = twins.model.predict_proba if twins.tree.max_n_classes > 1 else twins.model.predict
    np.testing.assert_allclose(predict(twins.all_rows), twins.rpart["predictions"], **CLOSE)


# -- what is read off the tree -------------------------------------------------------------------------


def test_complexities_are_the_same(twins):
    risk = risk_of(twins.tree)
    complexity = pruning_path(twins.tree, risk).complexity / risk[0]
    for t, node, _ in twins.pairs():
        if "split" in node:
            np.testing.assert_allclose(complexity[t], node["complexity"], **CLOSE)


def test_the_table_of_prices_is_the_same(twins):
    """rpart's goes from the root to the full tree, whose price it gives as cp."""
    risk = risk_of(twins.tree)
    path = pruning_path(twins.tree, risk)
    rows = path.steps[::-1]
    prices = np.append(path.alphas[rows][:-1] / risk[0], twins.cp)
    table = np.column_stack([prices, path.n_leaves[rows] - 1, path.impurities[rows] / risk[0]])
    np.testing.assert_allclose(table, np.array(twins.rpart["cp_table"])[:, :3], **CLOSE)


def off_cuts(twins: Twins) -> Any:
    """The rows, with the one that lies on a cut of a tree it did not help to grow moved up by a hair."""
    if twins.name != "car90":
        return twins.X
    tank = twins.X["Tank"].values.copy()
    tank[6] += 1e-6  # 15.7, between 15.6 and 15.8 of the other rows
    return twins.X.with_columns(Table.of({"Tank": tank})["Tank"])


def test_cross_validation_is_the_same(twins):
    tenth = np.arange(len(twins.y)) % 10
    folds = [(np.flatnonzero(tenth != k), np.flatnonzero(tenth == k)) for k in range(10)]
    risk = "misclassification" if twins.tree.max_n_classes > 1 else "impurity"
    table = CostComplexityCV(twins.model, cv=folds, risk=risk).fit(off_cuts(twins), twins.y).table_
    ours = np.column_stack([table.cv_risk, table.cv_se])[::-1] / table.train_risk[-1]
    theirs = np.array(twins.rpart["cp_table"])[:, 3:]
    shared = len(theirs) if twins.cp == 0 else len(theirs) - 1  # a tree's stand-ins also depend on the price below it
    np.testing.assert_allclose(ours[:shared], theirs[:shared], **CLOSE)


def without_kept_here(twins: Twins) -> Any:
    """The model, giving no credit to the surrogates that rpart drops."""
    adjusted = twins.tree.surrogates.adjusted.copy()
    for t, node, _ in twins.pairs():
        for s in twins.tree.surrogates.of(t):
            if (twins.name, node["node"], twins.X.names[twins.tree.surrogates.feature[s]]) in KEPT_HERE:
                adjusted[s] = 0.0
    model = copy(twins.model)
    model.tree_ = replace(twins.tree, surrogates=replace(twins.tree.surrogates, adjusted=adjusted))
    return model


def test_importances_are_the_same(twins):
    ours = surrogate_importances(without_kept_here(twins), gain_of_answered(twins))
    theirs = np.array([twins.rpart["importance"].get(name, 0.0) for name in twins.X.names])
    np.testing.assert_allclose(ours, theirs / theirs.sum(), **CLOSE)


def test_rows_that_surrogates_send_change_importances_little(twins):
    ours, theirs = (surrogate_importances(twins.model, gain) for gain in (None, gain_of_answered(twins)))
    np.testing.assert_allclose(ours, theirs, atol=0.01)
