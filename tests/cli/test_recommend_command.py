"""``probus recommend``: from a file of ratings to items for users."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import probus


@pytest.fixture
def ratings(run):
    """ratings.csv, users.csv and items.csv in the folder of the commands."""
    rng = np.random.default_rng(0)
    user, item = np.nonzero(rng.random((30, 20)) < 0.5)
    rating = np.clip(3 + (user % 2) * (2 * (item % 2) - 1) + rng.integers(-1, 2, size=len(user)), 1, 5)
    pl.DataFrame({"user_id": user, "movie_id": item, "rating": rating}).write_csv("ratings.csv")
    pl.DataFrame({"user_id": range(32), "kind": [str(i % 2) for i in range(32)]}).write_csv("users.csv")
    pl.DataFrame({"movie_id": range(22), "kind": ["ab"[i % 2] for i in range(22)]}).write_csv("items.csv")
    return "ratings.csv"


def test_items_for_a_user_are_csv_and_the_columns_are_said(run, ratings):
    code, out, err = run("recommend", ratings, "--user", "4", "-n", "3")
    frame = pl.read_csv(out.encode())
    assert code == 0
    assert frame.columns == ["user", "rank", "item", "rating"]
    assert frame["rank"].to_list() == [1, 2, 3]
    assert err == "note: columns: user is 'user_id', item is 'movie_id', rating is 'rating'\n"


def test_all_users_and_several_users(run, ratings):
    assert pl.read_csv(run("recommend", ratings, "-n", "1")[1].encode()).height == 30
    _, out, err = run("recommend", ratings, "--user", "4,nobody", "-n", "1", "--model", "biases")
    assert pl.read_csv(out.encode())["user"].to_list() == ["4", "nobody"]
    assert "note: 1 user has no ratings (nobody)" in err


@pytest.mark.parametrize("model", ["factors", "items", "users", "popularity"])
def test_every_model_takes_ratings_and_implicit_feedback(run, ratings, model):
    for more in ((), ("--implicit",)):
        code, out, _ = run("recommend", ratings, "--user", "4", "-n", "2", "--model", model, *more)
        assert code == 0
        assert len(out.splitlines()) == 3


def test_tables_make_new_users_and_items_known(run, ratings):
    code, out, _ = run(
        "recommend", ratings, "--user", "31", "-n", "22", "--user-table", "users.csv", "--item-table", "items.csv"
    )
    assert code == 0
    assert 21 in pl.read_csv(out.encode())["item"].to_list()


def test_a_model_is_scored_saved_and_used_again(run, ratings):
    code, out, err = run("recommend", ratings, "--user", "4", "--score", "--save", "m.probus", "--out", "list.csv")
    assert (code, out) == (0, "")
    assert "MatrixFactorization: 5 random folds" in err
    assert "rmse " in err
    again = run("recommend", ratings, "--user", "4", "--model", "m.probus")[1]
    assert again == Path("list.csv").read_text()
    assert probus.load("m.probus").users_.tolist() == list(range(30))


def test_popular_items_are_scored(run, ratings):
    code, _, err = run("recommend", ratings, "--user", "4", "--model", "popularity", "--score")
    assert code == 0
    assert "ndcg@10 " in err
    assert "rmse" not in err


def test_a_file_without_ratings_is_implicit_feedback(run, ratings):
    pl.read_csv(ratings).drop("rating").write_csv("bought.csv")
    code, out, err = run("recommend", "bought.csv", "--user", "4")
    assert code == 0
    assert "note: no column of ratings: what users have is taken as implicit feedback" in err
    assert out == run("recommend", "bought.csv", "--user", "4", "--implicit")[1]


def test_settings_of_a_saved_model_are_refused(run, ratings):
    run("recommend", ratings, "--user", "4", "--model", "biases", "--save", "m.probus")
    for more in (("--implicit",), ("--user-column", "user_id"), ("--item-table", "items.csv")):
        code, _, err = run("recommend", ratings, "--user", "4", "--model", "m.probus", *more)
        assert code == 2
        assert f"{more[0]} with a saved model" in err


def test_columns_are_named(run):
    pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"], "c": [5, 3, 4]}).write_csv("odd.csv")
    how = ("--user-column", "a", "--item-column", "b", "--rating-column", "c")
    assert run("recommend", "odd.csv", *how, "--user", "2")[1].splitlines()[1].startswith("2,1,y,")
    code, out, err = run("recommend", "odd.csv", "--user", "2")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "note: columns by their order: user='a', item='b', rating='c'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "magic"), "--model magic"),
        (("--model", "biases", "--implicit"), "--model biases"),
        (("--model", "items", "--user-table", "users.csv"), "--model factors, which uses them"),
        (("--user-column", "who"), "no column 'who'"),
        (("--out", "ratings.csv/list.csv"), "--out"),
    ],
)
def test_mistakes_are_one_message(run, ratings, arguments, message):
    code, out, err = run("recommend", ratings, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
