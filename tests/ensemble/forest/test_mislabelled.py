import numpy as np
import pytest

from probus.datasets import penguins
from probus.ensemble import ExtraTreesClassifier, RandomForestClassifier
from probus.errors import DataError


@pytest.fixture(scope="module")
def told():
    """Penguins, twelve of them with a wrong label: rows, labels, which are wrong, what the forest says."""
    birds = penguins()
    X, y = birds.drop("species"), birds["species"].decoded().copy()
    rng = np.random.default_rng(3)
    wrong = rng.choice(len(y), 12, replace=False)
    kinds = np.unique(y)
    for row in wrong:
        y[row] = rng.choice(kinds[kinds != y[row]])
    forest = RandomForestClassifier(100, random_state=0, oob_score=True).fit(X, y)
    return X, y, wrong, forest


def test_wrong_labels_are_found_and_come_first(told):
    X, y, wrong, forest = told
    found = forest.likely_mislabelled(X, y)
    assert len(set(wrong) & set(found.rows)) >= 10
    assert len(set(found.rows) - set(wrong)) <= 2
    every = forest.likely_mislabelled(X, y, margin=0)
    assert set(wrong) <= set(every.rows)
    assert len(set(every.rows[:12]) & set(wrong)) >= 11


def test_the_right_label_is_suggested(told):
    X, y, wrong, forest = told
    found = forest.likely_mislabelled(X, y)
    truth = penguins()["species"].decoded()
    mine = np.isin(found.rows, wrong)
    assert (found.suggested[mine] == truth[found.rows[mine]]).all()


def test_rows_are_those_whose_out_of_bag_vote_disagrees_by_margin(told):
    X, y, _, forest = told
    found = forest.likely_mislabelled(X, y, margin=0)
    votes = forest.oob_decision_function_
    codes = np.searchsorted(forest.classes_, y)
    assert set(found.rows) == set(np.flatnonzero(votes.argmax(axis=1) != codes))
    np.testing.assert_array_equal(found.of_label, votes[found.rows, codes[found.rows]])
    np.testing.assert_array_equal(found.of_suggested, votes[found.rows].max(axis=1))
    assert (np.diff(found.of_suggested - found.of_label) <= 0).all()
    clear = forest.likely_mislabelled(X, y)
    assert clear.rows.tolist() == found.rows[found.of_suggested - found.of_label > 0.5].tolist()


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.4, 0.3, 0.2, 0.1)])
def test_a_forest_that_has_learnt_nothing_doubts_no_label(shares):
    listed = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 5)), rng.choice(len(shares), 300, p=shares)
        found = RandomForestClassifier(50, random_state=seed).fit(X, y).likely_mislabelled(X, y)
        listed.append(len(found) / 300)
    assert np.mean(listed) < 0.01
    assert found.sentence == (
        "No label can be doubted: the out-of-bag predictions are not better than the most frequent class on 300 rows."
    )


def test_a_margin_outside_its_range_is_an_error(told):
    X, y, _, forest = told
    with pytest.raises(DataError, match=r"margin=1\.\n  Expected a number from 0 to less than 1"):
        forest.likely_mislabelled(X, y, margin=1)


def test_the_result_prints_and_becomes_data(told):
    X, y, _, forest = told
    found = forest.likely_mislabelled(X, y)
    assert "of 344 labels" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.to_frame().columns == ["row", "label", "suggested", "probability", "of_label"]
    assert len(found.to_dict()["rows"]) == len(found)
    assert len(found.plot().get_yticks()) == min(len(found), 25)


def test_nothing_found_is_a_result_too():
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat(["a", "b"], 20)
    found = RandomForestClassifier(20, random_state=0).fit(X, y).likely_mislabelled(X, y)
    assert len(found) == 0
    assert repr(found) == "0 of 40 labels (0.0 %) disagree with the out-of-bag prediction by more than 0.5."
    assert found.to_frame().height == 0
    found.plot()


def test_labels_that_the_fit_did_not_see_are_an_error(told):
    X, y, _, forest = told
    with pytest.raises(
        DataError, match=r"label 'Dodo', which the fit did not see.\n  Expected labels of the fit: Adelie"
    ):
        forest.likely_mislabelled(X, np.where(np.arange(len(y)) == 5, "Dodo", y))


def test_a_forest_without_bags_cannot_tell(told):
    X, y, _, _ = told
    with pytest.raises(DataError, match="no rows out of bag"):
        ExtraTreesClassifier(3, random_state=0).fit(X, y).likely_mislabelled(X, y)
