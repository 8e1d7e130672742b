"""Lists of items for users, of every recommender."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from probus.errors import DataError
from probus.recommend import Biases, MatrixFactorization, Popularity


def test_lists_are_the_best_scores_among_items_that_the_user_has_not_rated(model, ratings):
    fitted = clone(model).fit(ratings)
    found = fitted.recommend([3, 5], n=4)
    for user, items, scores in zip(found.users, found.items, found.scores, strict=True):
        own = ratings["item"][ratings["user"] == user]
        assert not np.isin(items, own).any()
        rest = np.setdiff1d(fitted.items_, own)
        all_scores = fitted._scores(np.searchsorted(fitted.users_, [user]))[0]
        best = np.sort(all_scores[np.searchsorted(fitted.items_, rest)])[::-1][:4]
        np.testing.assert_allclose(scores, np.clip(best, *fitted.scale_) if fitted.rated_ else best)
        np.testing.assert_allclose(scores, fitted.predict({"user": [user] * len(items), "item": items}))
        assert (np.diff(scores) <= 0).all()


def test_new_users_and_items_have_finite_predictions(model, ratings):
    fitted = clone(model).fit(ratings)
    assert np.isfinite(fitted.predict({"user": ["x", "1"], "item": ["1", "y"]})).all()
    found = fitted.recommend("x", n=3)
    assert len(found["x"]) == 3
    assert "1 user has no ratings (x)" in repr(found)


def test_rated_items_can_be_recommended_again_and_candidates_be_given(ratings):
    model = Popularity().fit(ratings)
    assert len(model.recommend(0, n=1000)[0]) == 40 - np.sum(ratings["user"] == 0)
    assert len(model.recommend(0, n=1000, exclude_rated=False)[0]) == 40
    assert set(model.recommend(0, exclude_rated=False, candidates=[3, 5, "none"])[0]) == {3, 5}
    with pytest.raises(DataError, match="none of the candidates is a known item"):
        model.recommend(0, candidates=["none"])


def test_equal_scores_are_in_the_order_of_items():
    model = Popularity().fit({"user": [1, 2, 3], "item": [7, 5, 6]})
    assert model.recommend("new")["new"] == [5, 6, 7]


def test_a_user_who_has_rated_everything_gets_nothing():
    found = Popularity().fit({"user": [1, 1], "item": [7, 5]}).recommend(1)
    assert found[1] == []
    assert "no item is left" in repr(found)


def test_the_result_prints_and_has_a_frame(ratings):
    found = Biases().fit(ratings).recommend([1, 2], n=2)
    frame = found.to_frame()
    assert frame.columns == ["user", "rank", "item", "rating"]
    assert frame["rank"].to_list() == [1, 2, 1, 2]
    assert repr(found).startswith("Items for 2 users")
    assert "<table>" in found._repr_html_()
    with pytest.raises(DataError, match="no recommendations for user 9"):
        found[9]


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "ten"])
def test_other_numbers_of_items_are_refused(ratings, n):
    with pytest.raises(DataError, match="how many items, 1 or more"):
        Biases().fit(ratings).recommend(1, n=n)


def test_an_empty_list_of_users_is_refused(ratings):
    with pytest.raises(DataError, match="an empty list of users"):
        Biases().fit(ratings).recommend([])


def test_before_fit_is_an_error(ratings):
    for use in (lambda: Biases().recommend(1), lambda: Biases().predict(ratings)):
        with pytest.raises(NotFittedError):
            use()


def test_a_descent_that_diverges_says_so(ratings):
    with pytest.raises(DataError, match="the descent diverged with learning_rate=10"):
        MatrixFactorization(2, solver="sgd", learning_rate=10.0, random_state=0).fit(ratings)


def test_descent_of_implicit_feedback_is_refused(taste):
    with pytest.raises(DataError, match="solver='als', which counts all pairs at once"):
        MatrixFactorization(2, solver="sgd", implicit=True).fit(taste)


def test_lists_are_found_by_the_id_however_it_is_written(ratings):
    found = Popularity().fit(ratings).recommend([3.0], n=2)
    assert found[3] == found["3"] == found[3.0]


@pytest.mark.parametrize("users", [{"user": [1]}, pl.DataFrame({"user": [1]})], ids=["dict", "frame"])
def test_a_table_of_users_is_no_list_of_them(ratings, users):
    with pytest.raises(DataError, match="a table of users"):
        Popularity().fit(ratings).recommend(users)
