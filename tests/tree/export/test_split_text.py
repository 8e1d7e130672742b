import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Table
from probus.errors import DataError
from probus.tree.export._short_text import fewest_digits, in_set, short_number
from probus.tree.export._split_text import SplitText, TreeText

numbers = st.floats(-1e9, 1e9, allow_nan=False)


@given(st.lists(numbers, min_size=2, unique=True))
def test_distinct_thresholds_have_distinct_text_in_the_same_order(values):
    values = np.unique(values)
    digits = fewest_digits(values)
    shown = [float(short_number(x, digits)) for x in values.tolist()]
    assert digits == 17 or shown == sorted(set(shown))


@given(numbers)
def test_a_number_is_rounded_by_little(x):
    assert float(short_number(x)) == pytest.approx(x, rel=1e-3)


def test_levels_are_named_up_to_a_maximum_length():
    assert in_set(["a"]) == "= a"
    assert in_set(list("abcde")) == "in {a, b, c, d, e}"
    assert in_set(["a" * 40, "b"]) == f"in {{{'a' * 40}, b}}"  # "… 1 more" would be as long
    assert in_set(["a" * 40, "b", "c"]) == f"in {{{'a' * 40}, … 2 more}}"


def test_ordinal_and_date_thresholds_are_named(random_model):
    words = TreeText(random_model(0))
    assert words.threshold(2, 1.5) == "M"
    assert words.threshold(3, 19783.5) == "2024-03-01"
    assert words.threshold(3, 19783.25) == "2024-03-01 06:00"
    assert words.cell(3, 19783.0) == "2024-03-01"


def test_a_flipped_surrogate_describes_what_goes_left(random_model):
    for seed in range(20):
        words = TreeText(random_model(seed, surrogates=True))
        for node in np.flatnonzero(~words.tree.is_leaf):
            for split in words.surrogates(node):
                if split.levels is None:
                    assert split.left.startswith(">" if split.flipped else "≤")


@given(numbers, numbers)
def test_a_comparison_is_seen_to_hold(x, threshold):
    words = object.__new__(TreeText)
    words.fields, words._digits = [None], [4]
    split = SplitText(0, "x", "", "", threshold=threshold)
    _, _, shown, sign, limit = words.compared(split, x).split()
    assert (float(shown) <= float(limit)) == (sign == "≤") == (x <= threshold)


def test_names_are_those_given_else_those_of_the_fit_else_numbers(as_ours):
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier().fit([[0, 0], [1, 1]], [0, 1])
    assert TreeText(as_ours(fitted)).names == ["x[0]", "x[1]"]
    assert TreeText(as_ours(fitted, ["a", "b"])).names == ["a", "b"]
    assert TreeText(as_ours(fitted, ["a", "b"]), ["c", "d"]).names == ["c", "d"]
    with pytest.raises(DataError, match="feature_names must contain 2 elements, got 1"):
        TreeText(as_ours(fitted), ["a"])
    with pytest.raises(DataError, match=r"class_names has 1 names.\n  Expected one for each of the 2 classes"):
        TreeText(as_ours(fitted), class_names=["a"])


def test_what_is_not_a_tree_is_refused():
    from probus.dummy import ZeroRClassifier

    fitted = ZeroRClassifier().fit(Table.of({"a": [1.0, 2.0]}), ["x", "y"])
    with pytest.raises(DataError, match="ZeroRClassifier has no binary tree"):
        TreeText(fitted)


def test_a_search_is_shown_by_the_tree_it_chose(as_ours):
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2).fit([[0], [1]] * 4, [0, 1] * 4)
    search.best_estimator_ = as_ours(search.best_estimator_, ["a"])
    assert TreeText(search).names == ["a"]
