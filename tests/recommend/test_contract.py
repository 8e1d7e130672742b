"""What every recommender keeps: parameters, clones, files, pickles, and results that do not depend on the threads."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import probus
from probus.base import Model
from probus.errors import DataError, ModelFileError
from probus.parameters import ParameterError
from probus.persistence import estimators_of
from probus.recommend import Biases, MatrixFactorization, TunedRecommender

CLASSES = list(estimators_of("probus.recommend").values())
EXAMPLES = [example for cls in CLASSES for example in cls.examples()]


def fitted(model, sides):
    rated, users, items, _ = sides
    if getattr(model, "implicit", False):
        rated = {key: rated[key] for key in ("user", "item")}
    tables = {"users": users, "items": items} if getattr(model, "sided", False) else {}
    return clone(model).fit(rated, **tables), rated


def test_every_class_is_there():
    names = {"Biases", "ContentBased", "Hybrid", "ItemNeighbors", "MatrixFactorization", "Popularity"}
    assert {cls.__name__ for cls in CLASSES} == names | {"TunedRecommender", "UserNeighbors"}
    assert all(issubclass(cls, Model) and cls.verbs == "probus.recommend" for cls in CLASSES)


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_parameters_are_kept_by_clone_repr_and_pickle(model):
    for copied in (clone(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert repr(copied) == repr(model)
        assert copied.get_params().keys() == model.get_params().keys()
    params = model.get_params(deep=False)
    assert repr(type(model)(**params)) == repr(model)
    with pytest.raises(ValueError, match="Invalid parameter"):
        clone(model).set_params(nothing=1)


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_fit_leaves_the_parameters_and_the_ratings_alone(model, sides):
    before = {key: values.copy() for key, values in sides[0].items()}
    text = repr(model)
    done, _ = fitted(model, sides)
    assert repr(model) == text
    assert repr(done) == text
    for key, values in before.items():
        assert_array_equal(sides[0][key], values)


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_a_second_fit_is_the_same(model, sides):
    one, rated = fitted(model, sides)
    two, _ = fitted(model, sides)
    assert_array_equal(one.predict(rated), two.predict(rated))


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_files_and_pickles_predict_the_same(model, sides, tmp_path):
    done, rated = fitted(model, sides)
    path = done.save(tmp_path / "model.probus")
    for copied in (probus.load(path), pickle.loads(pickle.dumps(done))):
        assert_allclose(copied.predict(rated), done.predict(rated))
        assert copied.recommend([1, 2], n=3).to_frame().equals(done.recommend([1, 2], n=3).to_frame())
    assert path.read_bytes() == done.save(tmp_path / "again.probus").read_bytes()


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_the_order_of_the_rows_hardly_matters(model, sides):
    if getattr(model, "solver", "") == "sgd" or isinstance(model, TunedRecommender):
        pytest.skip("it takes the ratings in their order")
    done, rated = fitted(model, sides)
    order = np.random.default_rng(0).permutation(len(rated["user"]))
    mixed, _ = fitted(model, ({key: values[order] for key, values in sides[0].items()}, *sides[1:]))
    assert_allclose(mixed.predict(rated), done.predict(rated), atol=1e-3)


@pytest.mark.parametrize(
    "wrong",
    [{"factors": -1}, {"factors": 2.5}, {"regularization": -1.0}, {"solver": "svd"}, {"max_iter": 0},
     {"penalty_by_count": 2.0}, {"implicit": "yes"}, {"user": 3}, {"unobserved": 0.0}],
    ids=str,
)  # fmt: skip
def test_other_parameters_are_refused(wrong, ratings):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        MatrixFactorization(**wrong).fit(ratings)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("seen_starts_", lambda values: values[:-1]),
        ("seen_starts_", lambda values: values[::-1].copy()),
        ("scale_", lambda values: (1.0,)),
        ("columns_", lambda values: {"user": "user"}),
        ("user_bias_", lambda values: values[:-1]),
    ],
)
def test_files_that_contradict_themselves_are_refused(name, change, ratings, tmp_path):
    model = Biases().fit(ratings)
    setattr(model, name, change(getattr(model, name)))
    with pytest.raises(ModelFileError):
        probus.load(model.save(tmp_path / "model.probus"))


def test_a_class_in_place_of_a_model_is_refused(ratings):
    with pytest.raises(DataError, match=r"Create one: Biases\(\)|Biases"):
        probus.resample(Biases, ratings)
