"""The joint search space of a graph: parameters of an alternative exist only where it is chosen."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from probus.ensemble import HistGradientBoostingClassifier
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier
from probus.pipeline import OneOf, branch, by_kind, choose, tabular, union
from probus.preprocessing import TableEncoder
from probus.spaces import Choice, Real, Space, search_space, when
from probus.tree import DecisionTreeClassifier


def test_parameters_of_an_alternative_are_active_only_if_it_is_chosen():
    graph = StandardScaler() >> choose(knn=KNeighborsClassifier(), tree=DecisionTreeClassifier())
    space = search_space(graph)
    assert {name.split("__")[1] for name in space} == {"choice", "knn", "tree"}
    for config in space.sample(random_state=0, n=40):
        other = {"knn": "tree", "tree": "knn"}[config["oneof__choice"]]
        assert not any(name.startswith(f"oneof__{other}__") for name in config)
        assert clone(graph).set_params(**config).get_params()["oneof__choice"] == config["oneof__choice"]
    assert space.default["oneof__choice"] == "knn"


def test_the_space_of_a_graph_is_that_of_its_nodes():
    encode = choose(onehot=TableEncoder(), impact=TableEncoder("impact"))
    graph = by_kind(numeric=StandardScaler(), rest=encode) >> union() >> LogisticRegression()
    space = search_space(graph)
    own = search_space(LogisticRegression()).prefixed("logisticregression__")
    assert set(space) == {"oneof__choice", *own}


def test_choices_inside_of_choices_have_nested_conditions(shop, bought):
    inner = choose(tree=DecisionTreeClassifier(), knn=KNeighborsClassifier())
    model = choose(bayes=GaussianNB(), other=inner)
    space = search_space(model)
    configs = space.sample(random_state=1, n=60)
    assert {config.get("other__choice") for config in configs} == {None, "tree", "knn"}
    assert all(("other__choice" in config) == (config["choice"] == "other") for config in configs)
    numbers = shop.select("age", "spent")
    for config in configs[:5]:
        clone(model).set_params(**config).fit(numbers, bought).predict(numbers)


def test_the_table_of_the_course_in_a_dozen_lines(shop, bought):
    """The space of an AutoML system: encoding, PCA or not, one of three learners with parameters of their own."""
    graph = (
        choose(onehot=TableEncoder(), impact=TableEncoder("impact", random_state=0))
        >> choose(pca=PCA(2), none="passthrough")
        >> choose(linear=LogisticRegression(), boosting=HistGradientBoostingClassifier(max_iter=2))
    )
    names = ["oneof", "oneof_2", "oneof_3"]
    assert list(graph.named_steps) == names
    space = Space(
        {
            "oneof__choice": Choice("onehot", "impact"),
            "oneof_2__choice": Choice("pca", "none"),
            "oneof_3__choice": Choice("linear", "boosting"),
            "oneof_3__linear__C": when(Real(-12, 12, base=2), oneof_3__choice="linear"),
            "oneof_3__boosting__learning_rate": when(Real(-4, 0, base=10), oneof_3__choice="boosting"),
        }
    )
    for config in space.sample(random_state=0, n=6):
        model = clone(graph).set_params(**config).fit(shop, bought)
        assert model.predict(shop).shape == (60,)
        assert np.isfinite(model.predict_proba(shop)).all()


def test_a_model_without_a_space_is_an_error(nearest):
    assert "choice" in search_space(OneOf([("only", GaussianNB())]))
    with pytest.raises(DataError, match="alternatives="):
        search_space(OneOf([]))
    with pytest.raises(DataError, match="Nearest has no search space"):
        search_space(choose(a=GaussianNB(), b=nearest))


def test_tabular_models_are_alternatives(shop, bought):
    model = choose(linear=tabular(LogisticRegression()), bayes=tabular(GaussianNB()))
    assert "linear__model__C" in search_space(model)
    assert model.fit(shop, bought).score(shop, bought) > 0.6
    both = branch(tabular(LogisticRegression()), tabular(GaussianNB()))
    assert len(both.parts) == 2
