"""probus.resample, compare and tune of recommenders."""

import numpy as np
import pytest

import probus
from probus.errors import DataError, FailedModelError
from probus.recommend import (
    Biases,
    Hybrid,
    LeaveLastOut,
    MatrixFactorization,
    Popularity,
    Ratings,
    ResampledRecommender,
    TunedRecommender,
)
from probus.recommend._evaluation import halves_of_users
from probus.spaces import Integer, Space
from probus.tuning import Random


@pytest.fixture(scope="module")
def result(draw_ratings):
    return probus.resample(Biases(), draw_ratings(), cv=4, scoring=["rmse", "ndcg@10", "coverage@10"])


def test_resample_returns_scores_with_intervals_over_users(result):
    assert isinstance(result, ResampledRecommender)
    estimate = result["rmse"]
    assert estimate.low < estimate.value < estimate.high
    assert estimate.n == 60
    assert len(result.scores("rmse")) == 4
    assert 0 <= result["ndcg@10"].low < result["ndcg@10"].high <= 1


def test_the_result_prints_and_has_frames(result):
    text = repr(result)
    assert text.startswith("Biases: 4 random folds, 1,001 ratings of 60 tested users\nrmse ")
    assert "rmse: variance between users" in text
    assert "ndcg@10, coverage@10: variance between tested users, and between training users by halves of them" in text
    assert "note: a tested item is relevant from a rating of" in text
    assert result.to_frame()["scoring"].to_list() == ["rmse", "ndcg@10", "coverage@10"]
    assert set(result.to_dict()["estimates"]) == {"rmse", "ndcg@10", "coverage@10"}
    by_user = result.by_user("rmse")
    assert by_user.columns == ["user", "rmse"]
    assert by_user["rmse"].is_sorted(descending=True)


def test_wider_levels_have_wider_intervals(result):
    assert result.estimate("rmse", 0.99).high > result.estimate("rmse", 0.9).high


def test_the_same_seed_gives_the_same_scores_on_any_number_of_jobs(draw_ratings):
    how = {"cv": 3, "scoring": "rmse", "random_state": 4}
    one, two = (probus.resample(MatrixFactorization(3), draw_ratings(), n_jobs=n, **how).estimate() for n in (1, 2))
    assert one == two
    other = probus.resample(MatrixFactorization(3), draw_ratings(), cv=3, scoring="rmse", random_state=5).estimate()
    assert other != one


def test_one_split_has_an_interval_too(draw_ratings):
    found = probus.resample(Popularity(), draw_ratings(), cv=LeaveLastOut(3), scoring="hit_rate@5", relevant=0)
    assert found.estimate().n == 60


def test_measures_of_lists_have_the_variance_of_training_users_too(draw_ratings):
    """Lists of the most popular items change for all users at once."""
    both = [
        probus.resample(Popularity(), draw_ratings(share=0.2), cv=3, scoring=["recall@3", "novelty@3"], halvings=n)
        for n in (0, 10)
    ]
    for name in ("recall@3", "novelty@3"):
        assert both[0][name].value == both[1][name].value
        assert both[0][name].half_width <= both[1][name].half_width
    assert both[0]["novelty@3"].half_width < both[1]["novelty@3"].half_width
    assert both[0]["recall@3"].method == "variance between users"
    with pytest.raises(DataError, match="how often the users are split into halves"):
        probus.resample(Popularity(), draw_ratings(), halvings=-1)


def test_halves_are_of_different_users(draw_ratings):
    data = Ratings.of(draw_ratings())
    found = halves_of_users(data, [(np.arange(800), np.arange(800, 1001))], 3)
    for (train, test), (other_train, other_test) in zip(found[::2], found[1::2], strict=True):
        mine, others = (set(data.user[np.concatenate(rows)]) for rows in ((train, test), (other_train, other_test)))
        assert not mine & others
        assert len(train) + len(other_train) == 800
        assert len(test) + len(other_test) == 201


def test_what_is_relevant_can_be_set(draw_ratings):
    all_of_them = probus.resample(Popularity(), draw_ratings(), cv=3, scoring="recall@10", relevant=-100)
    few = probus.resample(Popularity(), draw_ratings(), cv=3, scoring="recall@10", relevant=7.0)
    assert all_of_them["recall@10"].n == 60 > few["recall@10"].n
    with pytest.raises(DataError, match="no rating is as high"):
        probus.resample(Popularity(), draw_ratings(), relevant=99)


def test_all_items_of_implicit_feedback_are_relevant(draw_ratings):
    implicit = MatrixFactorization(2, implicit=True, random_state=0, max_iter=3)
    table = {**draw_ratings(), "rating": np.round(np.abs(draw_ratings()["rating"]))}
    how = {"cv": 2, "scoring": "recall@5", "halvings": 0}
    alone = probus.resample(implicit, table, **how)
    assert alone["recall@5"] == probus.resample(implicit, table, relevant=0, **how)["recall@5"]
    assert not [note for note in alone.notes if "relevant" in note]
    both = probus.compare({"factors": implicit, "popular": Popularity()}, table, **how)
    assert both["factors"]["recall@5"] == alone["recall@5"]


def test_models_that_predict_no_ratings_are_scored_by_lists(draw_ratings):
    found = probus.resample(Popularity(), draw_ratings(), cv=2, halvings=0)
    assert repr(found).count("ndcg@10") == 1
    compared = probus.compare([Popularity(), Biases()], draw_ratings(), cv=2, halvings=0)
    assert compared.leaderboard[0].rank == 1
    assert "NDCG@10" in repr(compared)


def test_halves_without_a_relevant_item_are_left_out(draw_ratings):
    table = draw_ratings(20, 12)
    table["rating"] = np.where((table["user"] == 3), 9.0, 1.0)
    found = probus.resample(Popularity(), table, cv=2, scoring="recall@5", relevant=9)
    assert found.estimate().method.startswith("variance between users")


def test_compare_tests_the_differences_of_users(draw_ratings):
    models = {
        "factors": MatrixFactorization(2, random_state=0),
        "biases": Biases(),
        "mean": Biases(of_users=False, of_items=False),
    }
    found = probus.compare(models, draw_ratings(), scoring=["rmse", "ndcg@10"], cv=3)
    assert found.best == "factors"
    assert found.tests["factors", "mean"].verdict == "beats"
    pairs = probus.compare(list(models.items()), draw_ratings(), scoring="rmse", cv=3)
    assert pairs.tests["factors", "mean"].difference == found.tests["factors", "mean"].difference
    assert "on 60 users" in found.sentence
    assert "t-test of the differences of each user" in repr(found)
    again = probus.compare({name: found[name] for name in models}, scoring="rmse")
    assert again.tests["factors", "biases"].difference == found.tests["factors", "biases"].difference


def test_the_difference_is_that_of_the_scores_and_its_test_a_paired_one(draw_ratings):
    scoring = {"scoring": "mae", "cv": 3}
    a, b = (probus.resample(model, draw_ratings(), **scoring) for model in (Biases(), Biases(of_items=False)))
    pair = probus.compare({"a": a, "b": b}).tests["a", "b"]
    assert pair.difference.value == pytest.approx(a.estimate().value - b.estimate().value)
    moves = a.tested().moves - b.tested().moves
    alone = np.std(moves, ddof=1) / np.sqrt(len(moves))
    assert pair.difference.half_width == pytest.approx(2.0 * np.sqrt(1.25) * alone, rel=0.02)


def test_models_without_ratings_are_compared_by_lists_and_reported(draw_ratings):
    found = probus.compare([Popularity(), Biases()], draw_ratings(), scoring=["ndcg@10", "rmse"], cv=2)
    assert {standing.name for standing in found.leaderboard if standing.rank} == {"Popularity", "Biases"}


def test_a_model_that_fails_is_reported(draw_ratings):
    diverging = MatrixFactorization(2, solver="sgd", learning_rate=50.0, random_state=0)
    found = probus.compare({"a": Biases(), "b": diverging, "c": Popularity()}, draw_ratings(), scoring="ndcg@5", cv=2)
    assert "b failed: the descent diverged" in found.sentence
    with pytest.raises(FailedModelError, match="MatrixFactorization failed: the descent diverged"):
        probus.resample(diverging, draw_ratings())


def test_other_models_among_recommenders_are_refused(draw_ratings):
    from probus.linear_model import Ridge

    with pytest.raises(DataError, match="Ridge among recommenders"):
        probus.compare([Biases(), Ridge()], draw_ratings())
    with pytest.raises(DataError, match=r"resample\(target=…\) of recommenders"):
        probus.resample(Biases(), draw_ratings(), target="rating")
    with pytest.raises(DataError, match=r"resample\(3 arguments\) of recommenders"):
        probus.resample(Biases(), draw_ratings(), "rating")
    with pytest.raises(DataError, match="learning_curve of recommenders"):
        probus.learning_curve(Biases(), draw_ratings())
    with pytest.raises(DataError, match="recommenders without ratings"):
        probus.compare([Biases(), Popularity()])


def test_tune_finds_the_better_configuration_and_is_fitted(draw_ratings):
    space = Space({"regularization": Integer(1, 60, log=True)})
    tuned = probus.tune(
        Biases(regularization=60.0), draw_ratings(), space=space, tuner=Random(), evaluations=6, progress=None
    )
    assert isinstance(tuned, TunedRecommender)
    assert tuned.best_params_["regularization"] < 60
    assert tuned.best_score_ <= tuned.archive[0].mean("rmse")
    assert tuned.recommend(1, n=2)[1] == tuned.best_estimator_.recommend(1, n=2)[1]
    assert len(tuned.predict(draw_ratings())) == 1001


def test_a_search_goes_on_in_its_archive(tmp_path, draw_ratings):
    how = {"space": {"regularization": Integer(1, 60, log=True)}, "tuner": "random", "progress": None}
    archive = tmp_path / "tuning.db"
    first = probus.tune(Biases(), draw_ratings(), evaluations=3, archive=archive, **how)
    second = probus.tune(Biases(), draw_ratings(), evaluations=5, archive=archive, **how)
    assert len(first.archive) == 3
    assert len(second.archive) == 5
    assert second.archive[1].config == first.archive[1].config
    with pytest.raises(DataError, match="archive"):
        probus.tune(Biases(), draw_ratings(seed=1), evaluations=5, archive=archive, **how)


def test_tune_takes_tables_of_users_and_items(sides):
    ratings, users, items, _ = sides
    how = {"space": {"regularization": Integer(1, 60)}, "tuner": "random", "evaluations": 2, "cv": 2, "progress": None}
    tuned = probus.tune(Hybrid(2, max_iter=2, random_state=0), ratings, users=users, items=items, **how)
    assert tuned.sides[0].schema.names == ("age",)
    with pytest.raises(TypeError, match="Use evaluations=2"):
        probus.tune(Biases(), ratings, n_trials=2)


def test_an_archive_of_other_tables_of_users_or_items_is_refused(tmp_path, sides):
    ratings, users, items, _ = sides
    how = {"space": {"regularization": Integer(1, 60)}, "tuner": "random", "evaluations": 2, "cv": 2, "progress": None}

    def search(archive, **tables):
        return probus.tune(Hybrid(2, max_iter=2, random_state=0), ratings, archive=tmp_path / archive, **tables, **how)

    search("both.db", users=users, items=items)
    turned = {name: list(values)[::-1] for name, values in items.items()}
    assert len(search("both.db", users=users, items=turned).archive) == 2, "the rows may have another order"
    others = {**users, "age": users["age"][::-1]}
    with pytest.raises(DataError, match=r"(?s)of data users \w+; this is data users \w+\.\n.*same data.*another file"):
        search("both.db", users=others, items=items)
    with pytest.raises(DataError, match=r"of data items \w+; this is data items none"):
        search("both.db", users=users)
    search("users.db", users=users)
    with pytest.raises(DataError, match=r"of data items none; this is data items \w+"):
        search("users.db", users=users, items=items)


def test_a_tuned_recommender_is_resampled(draw_ratings):
    tuned = TunedRecommender(Biases(), space={"regularization": Integer(1, 60)}, evaluations=2, cv=2)
    found = probus.resample(tuned, draw_ratings(), cv=2, scoring="rmse")
    assert found.estimate().value < 2


@pytest.mark.parametrize("model", [MatrixFactorization(), MatrixFactorization(implicit=True)])
def test_the_default_spaces_are_searched(model, draw_ratings):
    table = draw_ratings(40, 20)
    tuned = probus.tune(model.set_params(max_iter=3), table, evaluations=3, progress=None, tuner="random")
    assert len([each for each in tuned.archive if not each.error]) == 3
