"""The spaces of models: every model has one, its default lies inside, and the model accepts what lies in it."""

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier as TheirBagging
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

import probus
from probus.ensemble import RandomForestClassifier, VotingClassifier
from probus.errors import DataError
from probus.linear_model import LogisticRegression, Ridge
from probus.neighbors import KNeighborsClassifier
from probus.pipeline import tabular
from probus.spaces import Choice, Integer, Real, Space, search_space
from probus.svm import SVC
from probus.testing import estimators
from probus.testing._specimen import Specimen
from probus.tree import DecisionTreeClassifier


def default(cls):
    """The model with its defaults; an example where it needs other models, or to know a sensitive column."""
    if getattr(cls, "names_sensitive", False):
        return cls.examples()[0]
    try:
        return cls()
    except TypeError:
        return cls.examples()[0]


def corners(space):
    """Every parameter at its ends while the others have their defaults, and all of them at once."""
    middle = np.nan_to_num(space.to_unit(space.default), nan=0.5)
    for end in (0.0, 1.0):
        yield space.from_unit(np.full(len(space), end))
        for place in range(len(space)):
            yield space.from_unit(np.where(np.arange(len(space)) == place, end, middle))


SLOW = (
    "Boost|Bagging|Forest|ExtraTrees|Stacking|Blending|Voting|Process|CostComplexity|OneVs|SVR|Gaussian|Selection|"
    "Elimination|Conv|Recurrent|Transformer|TabularNet|InContext"
)
TUNED = [cls for cls in estimators() if cls.examples() and len(default(cls).search_space())]


@pytest.mark.filterwarnings("ignore")  # of solvers at the ends of their ranges
@pytest.mark.parametrize("cls", TUNED, ids=lambda cls: cls.__name__)
def test_models_accept_what_lies_in_their_space(cls):
    specimen = Specimen(default(cls))
    space = specimen.model.search_space()
    slow = re.search(SLOW, cls.__name__) is not None
    rounds = {name: 5 for name in ("n_estimators", "max_iter") if slow and specimen.has(name)}
    n = 120 if "n_neighbors" in space else 60  # as many rows as neighbours
    for config in [*corners(space), *space.sample(0, 20)][:: 9 if slow else 2]:
        model = specimen.fresh(**config).set_params(**rounds).fit(specimen.table(n), specimen.target(n))
        use = model.predict if hasattr(model, "predict") else model.transform
        assert use(specimen.table(n)).shape[0] == n


@pytest.mark.parametrize("cls", [cls for cls in estimators() if hasattr(cls, "predict")], ids=lambda cls: cls.__name__)
def test_the_default_of_every_model_lies_in_its_space(cls):
    model = default(cls)
    space = model.search_space()
    space.check_model(model)
    assert space.default == {name: model.get_params()[name] for name in space.active(model.get_params())}


def test_the_space_of_a_pipeline_has_prefixes_and_the_default_of_its_model():
    space = search_space(tabular(SVC(C=10)))
    assert space == SVC().search_space().prefixed("model__")
    assert space.default == {"model__C": 10.0, "model__kernel": "rbf", "model__gamma": "scale"}
    assert list(search_space(make_pipeline(StandardScaler(), TheirForest()))) == [
        "randomforestclassifier__max_features",
        "randomforestclassifier__min_samples_leaf",
        "randomforestclassifier__max_samples",
    ]


def test_the_models_of_an_ensemble_have_their_names_as_prefix():
    voters = VotingClassifier([("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier())])
    space = search_space(voters)
    assert {name.partition("__")[0] for name in space} == {"near", "tree"}
    assert space.default["near__n_neighbors"] == 5
    bagged = search_space(TheirBagging(SVC()))
    assert list(bagged)[:2] == ["max_samples", "max_features"]
    assert bagged.conditions["estimator__gamma"] == {"estimator__kernel": ("rbf",)}


def test_scikit_learns_models_have_the_spaces_of_ours():
    assert search_space(TheirForest()) == search_space(RandomForestClassifier())
    assert list(search_space(TheirLogistic())) == ["C"]  # its default solver takes no l1_ratio
    assert list(search_space(LogisticRegression())) == ["C", "l1_ratio"]


def test_values_that_the_user_set_stay():
    assert list(search_space(SVC(kernel="poly"))) == ["C"]
    assert search_space(SVC(kernel="linear")).default == {"C": 1.0, "kernel": "linear"}
    assert "max_samples" not in search_space(RandomForestClassifier(bootstrap=False))
    assert "p" not in search_space(KNeighborsClassifier(metric="cosine"))
    wide = search_space(Ridge(alpha=1e6))
    assert wide["alpha"] == Real(1e-4, 1e6, log=True)
    assert wide.default == {"alpha": 1e6}
    assert "alpha" not in search_space(Ridge(alpha=0))
    assert search_space(KNeighborsClassifier(130))["n_neighbors"] == Integer(1, 130, log=True)


class Own(ClassifierMixin, BaseEstimator):
    def search_space(self):
        return Space({"depth": Choice(1, 2)})


class Heir(DecisionTreeClassifier):
    pass


def test_a_model_of_ones_own_brings_its_space_or_inherits_one():
    assert list(search_space(make_pipeline(StandardScaler(), Own()))) == ["own__depth"]
    assert Heir().search_space() == DecisionTreeClassifier().search_space()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LabelSpreading(), "LabelSpreading has no search space.\n  Expected a model of Probus, of a known library"),
        (make_pipeline(StandardScaler(), LabelSpreading()), "Pipeline has no search space"),
        (SVC, "Expected an estimator. Pass an instance, for example SVC()"),
        (3, "found '3'"),
    ],
)
def test_models_without_a_space_are_an_error(model, message):
    with pytest.raises(DataError) as error:
        search_space(model)
    assert message in str(error.value)


def test_the_parameters_of_a_space_can_be_set():
    model = probus.tabular(SVC())
    for config in search_space(model).sample(0, 5):
        assert {name: model.set_params(**config).get_params()[name] for name in config} == config
