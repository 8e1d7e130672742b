"""Models of columns of users and items: mixed kinds, gaps, new users and new items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import probus
from probus.ensemble import RandomForestRegressor
from probus.errors import DataError
from probus.linear_model import Ridge
from probus.recommend import Biases, ContentBased, Hybrid, MatrixFactorization, Ratings, UserFolds
from probus.recommend._sided import shrunk_regression


def without_item(rated, item):
    keep = rated["item"] != item
    return {key: values[keep] for key, values in rated.items()}


MODELS = [
    Hybrid(4, random_state=0),
    Hybrid(4, implicit=True, random_state=0),
    ContentBased(random_state=0),
    ContentBased(Ridge()),
    ContentBased(RandomForestRegressor(10, random_state=0)),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_items_and_users_that_are_only_in_the_tables_are_known(model, sides):
    rated, users, items, _ = sides
    fitted = clone(model).fit(without_item(rated, 7), users=users, items=items)
    assert 7 in fitted.items_
    assert np.isfinite(fitted.predict({"user": [0, 1], "item": [7, 7]})).all()
    assert 7 in fitted.recommend(0, n=40)[0]


@pytest.mark.parametrize("model", [Hybrid(4, random_state=0), ContentBased(random_state=0)], ids=repr)
def test_columns_say_what_new_users_and_items_are_like(model, sides):
    rated, users, items, truth = sides
    new_items, new_users = np.arange(0, 40, 4), np.arange(0, 60, 4)
    keep = ~np.isin(rated["item"], new_items) & ~np.isin(rated["user"], new_users)
    train = {key: values[keep] for key, values in rated.items()}
    fitted = clone(model).fit(train, users=users, items=items)
    user, item = (each.ravel() for each in np.meshgrid(new_users, new_items))
    found = fitted.predict({"user": user, "item": item})
    assert np.corrcoef(found, truth[user, item])[0, 1] > 0.6
    assert np.std(Biases().fit(train).predict({"user": user, "item": item})) < 1e-12


def test_without_tables_a_hybrid_is_a_factorisation(ratings):
    how = {"factors": 3, "random_state": 0, "regularization": 2.0}
    assert_allclose(
        Hybrid(**how).fit(ratings).predict(ratings), MatrixFactorization(**how).fit(ratings).predict(ratings)
    )


def test_the_priors_are_ridge_regressions_of_the_vectors_on_the_columns(sides):
    rng = np.random.default_rng(0)
    X, Y, w = rng.normal(size=(30, 4)), rng.normal(size=(30, 2)), rng.uniform(1, 2, size=30)
    expected = Ridge(alpha=0.5 * w.sum(), fit_intercept=False).fit(X, Y, sample_weight=w).coef_.T
    assert_allclose(shrunk_regression(X, Y, w, 0.5), expected)


def test_the_hybrid_is_better_than_either_part_where_both_matter(sides):
    rated, users, items, _ = sides
    scores = {}
    for name, model in {
        "hybrid": Hybrid(4, random_state=0),
        "factors": MatrixFactorization(4, random_state=0),
        "new users": Hybrid(4, random_state=0),
        "new users, biases": Biases(),
    }.items():
        cv = UserFolds(3, given=0) if name.startswith("new") else 3
        tables = {"users": users, "items": items} if isinstance(model, Hybrid) else {}
        scores[name] = probus.resample(model, rated, cv=cv, scoring="rmse", **tables).estimate().value
    assert scores["hybrid"] < scores["factors"]
    assert scores["new users"] < 0.8 * scores["new users, biases"]


def test_tables_of_a_fitted_model_are_used_by_resample(sides):
    rated, users, items, _ = sides
    fitted = Hybrid(2, random_state=0, max_iter=5).fit(rated, users=users, items=items)
    with_them = probus.resample(Hybrid(2, random_state=0, max_iter=5), rated, users=users, items=items, cv=2)
    assert probus.resample(fitted, rated, cv=2).estimate() == with_them.estimate()


def test_users_without_a_row_get_the_mean_of_the_columns(sides):
    rated, users, items, _ = sides
    some = {key: values[:30] for key, values in users.items()}
    fitted = Hybrid(2, random_state=0).fit(rated, users=some, items=items)
    assert np.isfinite(fitted.predict(rated)).all()


def test_the_ids_of_a_table_may_be_strings(sides):
    rated, users, _, _ = sides
    how = {"factors": 2, "random_state": 0}
    texts = {**users, "user": [str(each) for each in users["user"]]}
    assert_allclose(
        Hybrid(**how).fit(rated, users=texts).predict(rated), Hybrid(**how).fit(rated, users=users).predict(rated)
    )


@pytest.mark.parametrize(
    ("users", "message"),
    [
        ({"age": [1, 2]}, "the table of users has no column 'user'"),
        ({"user": [0, 1]}, "the table of users has the column 'user' only"),
        ({"user": [0, 0, 1], "age": [1, 2, 3]}, "1 row of users that have another row: 0"),
        ({"user": [100, 101], "age": [1, 2]}, "no user of the ratings is in the table of users"),
        ({"user": [0, None], "age": [1, 2]}, "have no user"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(sides, users, message):
    with pytest.raises(DataError, match=message):
        Hybrid(2).fit(sides[0], users=users)


def test_a_model_of_columns_needs_a_table(ratings):
    with pytest.raises(DataError, match=r"Pass fit\(ratings, users=…, items=…\)"):
        ContentBased().fit(ratings)


def test_features_are_prepared_on_training_ratings_only(sides):
    """Nothing of the tested ratings reaches the fit: other test ratings give the same model."""
    rated, users, items, _ = sides
    data = Ratings.of(rated)
    train = np.arange(0, len(data), 2)
    changed = {**rated, "rating": np.where(np.arange(len(data)) % 2, -5.0, rated["rating"])}
    found = []
    for table in (rated, changed):
        data = Ratings.of(table)
        model = Hybrid(2, random_state=0)
        found.append(model.fit_ratings(data.take(train), *model.read_sides(data, users, items)))
    assert np.array_equal(found[0].item_factors_, found[1].item_factors_)
