"""Reading ratings: names of columns, ids, and what cannot be used."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from probus.errors import DataError
from probus.recommend import (
    Biases,
    ColumnGuessWarning,
    MatrixFactorization,
    Ratings,
    RatingsWarning,
)


def test_columns_are_found_by_words_and_said(ratings):
    frame = pl.DataFrame({"timestamp": ratings["time"], "MovieId": ratings["item"], "user_id": ratings["user"]})
    frame = frame.with_columns(stars=ratings["rating"])
    columns = Ratings.of(frame).columns
    assert columns.roles() == {"user": "user_id", "item": "MovieId", "rating": "stars", "time": "timestamp"}
    assert str(columns).endswith("(guessed from the names)")


def test_columns_without_a_known_name_are_taken_in_order_with_a_warning():
    with pytest.warns(ColumnGuessWarning, match="user='a', item='b', rating='c'"):
        found = Ratings.of({"a": [1, 2], "b": [1, 2], "c": [3.0, 4.0]})
    assert found.values.tolist() == [3.0, 4.0]


def test_columns_can_be_named():
    found = Ratings.of({"item": ["x", "y"], "user": ["a", "b"], "n": [1, 2]}, user="item", item="user", rating="n")
    assert found.users.labels.tolist() == ["x", "y"]
    model = Biases(user="who", item="what", rating="how").fit({"what": [1, 2], "how": [4.0, 2.0], "who": [5, 5]})
    assert model.columns_ == {"user": "who", "item": "what", "rating": "how"}


def test_one_column_is_not_enough():
    with pytest.raises(DataError, match="a column of users and one of items"):
        Ratings.of({"user": [1, 2]})
    with pytest.raises(DataError, match="no column 'wer'"):
        Biases(user="wer").fit({"user": [1], "item": [1], "rating": [1]})
    with pytest.raises(DataError, match="a column of its own"):
        Biases(user="item", item="item").fit({"user": [1], "item": [1], "rating": [1]})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_any_frame_is_read(ratings, make):
    assert_allclose(Biases().fit(make(ratings)).predict(make(ratings)), Biases().fit(ratings).predict(ratings))


def test_a_file_is_read(tmp_path, ratings):
    path = tmp_path / "ratings.csv"
    pl.DataFrame(ratings).write_csv(path)
    assert_allclose(Biases().fit(path).predict(ratings), Biases().fit(ratings).predict(ratings))


@pytest.mark.parametrize("first", [2**53, 2**60, 2**64])
@pytest.mark.parametrize("make", [pd.DataFrame, dict])
def test_large_ids_are_not_merged(make, first):
    users = [first, first + 1, first + 2]
    table = make({"user": users, "item": [1, 2, 3], "rating": [1.0, 2.0, 3.0]})
    model = Biases(regularization=0).fit(table)
    assert model.users_.tolist() == [str(user) for user in users]
    assert_allclose(model.predict(table), [1.0, 2.0, 3.0])
    assert_allclose(model.predict({"user": [first + 1], "item": [2]}), 2.0)
    assert model.recommend(first, n=1)[first] == model.recommend(str(first), n=1)[str(first)]
    assert len(Biases().fit({"user": [1], "item": [1], "rating": [2]}).recommend(first).unknown) == 1


@pytest.mark.parametrize("users", [[2.0**60, 2.0**61], [2**53, 2**53 + 1.0]], ids=["floats", "mixed"])
def test_ids_that_floats_have_rounded_are_refused(users):
    table = {"user": users, "item": [1, 2], "rating": [1.0, 2.0]}
    with pytest.raises(DataError, match=r"(?s)column 'user': ids beyond .*floats lose the last digits.*astype\(str\)"):
        Biases().fit(table)


def test_numbers_and_strings_of_them_are_one_id(ratings):
    model = MatrixFactorization(2, random_state=0).fit(ratings)
    texts = {**ratings, "user": [str(each) for each in ratings["user"]], "item": ratings["item"].astype(float)}
    assert_allclose(model.predict(texts), model.predict(ratings))
    other = MatrixFactorization(2, random_state=0).fit({**texts, "user": [f"u{each}" for each in ratings["user"]]})
    assert other.users_.dtype.kind == "U"
    assert model.recommend("3")["3"] == model.recommend(3)[3]
    assert Biases().fit({**texts, "item": [str(i) for i in ratings["item"]]}).recommend(3, n=1)[3][0] in {
        str(each) for each in ratings["item"]
    }


def test_numbers_mixed_with_strings_are_refused():
    with pytest.raises(DataError, match="mixes numbers with strings"):
        Biases().fit({"user": [1, "a"], "item": [1, 2], "rating": [1.0, 2.0]})


def test_ids_that_are_no_whole_numbers_are_kept_as_they_are_written():
    model = Biases().fit({"user": [1.5, 2.0], "item": [1, 1], "rating": [1.0, 2.0]})
    assert model.users_.tolist() == ["1.5", "2"]


def test_missing_ids_are_refused():
    with pytest.raises(DataError, match=r"column 'user': 1 of 2 rows have no user \(row 1\)"):
        Biases().fit({"user": [1, None], "item": [1, 2], "rating": [1.0, 2.0]})
    with pytest.raises(DataError, match="have no item"):
        Biases().fit({"user": ["a", "b"], "item": ["x", None], "rating": [1.0, 2.0]})


def test_rows_without_a_rating_are_left_out():
    table = {"user": [1, 2, 3], "item": [1, 2, 3], "rating": [1.0, None, 2.0]}
    with pytest.warns(RatingsWarning, match="1 of 3 rows has no rating: left out"):
        model = Biases().fit(table)
    assert model.users_.tolist() == [1, 3]
    with pytest.raises(DataError, match="column 'rating' has no rating"):
        Biases().fit({"user": [1], "item": [1], "rating": [float("nan")]})


def test_words_in_the_place_of_ratings_are_refused():
    with pytest.raises(DataError, match="column 'rating' is not of numbers: 'bad', 'good'"):
        Biases().fit({"user": [1, 2], "item": [1, 2], "rating": ["good", "bad"]})


def test_infinite_ratings_are_refused():
    with pytest.raises(DataError, match="1 rating not finite"):
        Biases().fit({"user": [1, 2], "item": [1, 2], "rating": [1.0, np.inf]})


def test_ratings_outside_the_scale_are_refused():
    with pytest.raises(DataError, match=r"2 ratings outside the scale from 1 to 5: 0, 7 \(row 0, 2\)"):
        Biases(scale=(1, 5)).fit({"user": [1, 2, 3], "item": [1, 2, 3], "rating": [0, 3, 7]})
    with pytest.raises(DataError, match=r"1 rating outside the scale from 1 to 5: 9 \(row 2\)"):
        Biases(scale=(1, 5)).fit({"user": [1, 2, 3], "item": [1, 2, 3], "rating": [None, 3, 9]})
    with pytest.raises(DataError, match=r"the lowest and the highest rating, such as \(1, 5\)"):
        Biases(scale=(5, 1)).fit({"user": [1], "item": [1], "rating": [3]})


def test_the_last_of_several_ratings_counts():
    table = {"user": [1, 1, 2], "item": [1, 1, 1], "rating": [1.0, 5.0, 3.0], "time": [9.0, 2.0, 1.0]}
    with pytest.warns(RatingsWarning, match="1 rating of a user and an item that have another: the last one counts"):
        assert Ratings.of(table).values.tolist() == [1.0, 3.0]
    del table["time"]
    with pytest.warns(RatingsWarning, match="their mean counts"):
        assert Ratings.of(table).values.tolist() == [3.0, 3.0]


def test_repeated_implicit_feedback_is_added_up():
    table = {"user": [1, 1, 2], "item": [1, 1, 1], "count": [1.0, 5.0, 3.0]}
    assert Ratings.of(table, implicit=True).values.tolist() == [6.0, 3.0]


def test_implicit_feedback_of_zero_is_none():
    table = {"user": [1, 1, 2], "item": [1, 2, 1], "count": [3.0, 0.0, 1.0]}
    with pytest.warns(RatingsWarning, match="1 of 3 rows has no rating above 0: left out"):
        assert len(Ratings.of(table, implicit=True)) == 2


def test_negative_implicit_feedback_is_refused():
    with pytest.raises(DataError, match="a rating of -1 as implicit feedback"):
        MatrixFactorization(implicit=True).fit({"user": [1, 2], "item": [1, 2], "rating": [-1.0, 2.0]})


def test_a_rating_of_zero_is_a_rating():
    data = Ratings.of({"user": [0, 0, 1], "item": [0, 1, 0], "rating": [0.0, 2.0, 0.0]})
    assert data.by_user.nnz == 3
    assert Biases(regularization=0).fit(data).predict({"user": [1], "item": [1]}) == pytest.approx([2.0])


def test_no_rows_are_refused():
    with pytest.raises(DataError, match="a table without rows"):
        Biases().fit(pl.DataFrame({"user": [], "item": [], "rating": []}))


@pytest.mark.parametrize(
    "table",
    [
        {"user": [1, 1, 1], "item": [1, 2, 3], "rating": [1.0, 2.0, 3.0]},
        {"user": [1, 2, 3], "item": [1, 1, 1], "rating": [1.0, 2.0, 3.0]},
        {"user": [1], "item": [1], "rating": [3.0]},
        {"user": [1, 1, 2, 2], "item": [1, 2, 1, 2], "rating": [4.0, 4.0, 4.0, 4.0]},
    ],
    ids=["one user", "one item", "one rating", "constant ratings"],
)
@pytest.mark.filterwarnings("ignore:all ratings are")
def test_the_smallest_data_have_finite_predictions(model, table):
    from sklearn.base import clone

    fitted = clone(model).fit(table)
    found = fitted.predict({"user": [1, 9, 1], "item": [1, 1, 9]})
    assert np.isfinite(found).all()
    assert len(fitted.recommend()) == len(set(table["user"]))
    if fitted.rated_ and len(set(table["rating"])) == 1:
        assert_allclose(found, table["rating"][0], atol=1e-6)


def test_constant_ratings_are_warned_of():
    with pytest.warns(UserWarning, match="all ratings are 4: every prediction is the same"):
        MatrixFactorization().fit({"user": [1, 2], "item": [1, 2], "rating": [4.0, 4.0]})


def test_models_of_ratings_warn_where_there_are_none(taste):
    with pytest.warns(UserWarning, match=r"no column of ratings: every prediction is the same.*implicit=True"):
        Biases().fit(taste)


def test_a_target_beside_the_table_is_refused(ratings):
    with pytest.raises(DataError, match="the ratings as a column of the table"):
        Biases().fit(ratings, ratings["rating"])


def test_a_table_of_users_for_a_model_of_ratings_is_refused(ratings):
    with pytest.raises(DataError, match=r"Biases.fit\(users=…\): the model uses ratings only"):
        Biases().fit(ratings, users={"user": [1], "age": [3]})
