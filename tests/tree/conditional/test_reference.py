"""The trees, statistics and p-values of R 4.2, partykit 1.2-16, whose calls stand beside the numbers."""

import numpy as np
import pytest

from probus.datasets import airquality, iris, penguins, titanic
from probus.tree.conditional import ConditionalTreeClassifier, ConditionalTreeRegressor


def tree_lines(model):
    """The lines of the tree without what varies in wording: node, branch and answer."""
    return [line.strip() for line in str(model).splitlines()]


def ozone_days():
    days = airquality()
    days = days.take(~days["ozone"].missing)
    return days.drop("ozone"), days["ozone"].values


def test_airquality():
    """ctree(Ozone ~ ., subset(airquality, !is.na(Ozone))); the criterion of nodes 1, 2, 4 and 7 by info_node."""
    X, y = ozone_days()
    model = ConditionalTreeRegressor().fit(X, y)
    tree = model.tree_
    np.testing.assert_array_equal(tree.feature, [2, 1, -2, 2, -2, -2, 1, -2, -2])
    np.testing.assert_array_equal(tree.threshold[[0, 1, 3, 6]], [82, 6.9, 77, 10.3])
    np.testing.assert_array_equal(tree.n_node_samples[tree.is_leaf], [10, 48, 21, 30, 7])
    means = [55.6, 18.4791666667, 31.1428571429, 81.6333333333, 48.7142857143]
    np.testing.assert_allclose(tree.value[tree.is_leaf, 0, 0], means)
    errors = [21946.4, 3955.979167, 4620.571429, 15118.966667, 1183.428571]
    np.testing.assert_allclose((tree.impurity * tree.weighted_n_node_samples)[tree.is_leaf], errors)
    statistics = [
        [13.34761285854142, 41.6136961765, 56.0863242613, 3.112659552483, 0.0201155385788],
        [5.409532183601, 12.96854982801221, 11.29895140520051, 0.214896137810, 2.970294070482],
        [9.54719184251080, 2.307675833710, 11.59896693619746, 0.0660489289718, 0.251314294414],
        [0.808324884778, 11.71156454947370, 6.7714853824893, 0.130764284008, 0.0399287545471],
    ]
    pvalues = [
        [0.00129308958502, 5.56057177713e-10, 3.46789402368e-13, 0.332588051367, 0.9999817501554],
        [0.096204095904, 0.00158283331865, 0.00387153438691, 0.994197637447, 0.357956010840],
        [0.00997275547678, 0.497949021834, 0.00329507164439, 0.9996567852959, 0.991667004106],
        [0.899661411237, 0.00310178813703, 0.0454628139503, 0.998205229905, 0.9999003442328],
    ]
    np.testing.assert_allclose(model.statistics_[[0, 1, 3, 6]], statistics, rtol=1e-9)
    np.testing.assert_allclose(model.pvalues_[[0, 1, 3, 6]], pvalues, rtol=1e-8)


def test_airquality_with_case_weights():
    """ctree(..., weights = rep(c(1, 2, 3, 0), length.out = 153)[!is.na(airquality$Ozone)])."""
    X, y = ozone_days()
    w = np.resize([1, 2, 3, 0], 153)[~airquality()["ozone"].missing]
    model = ConditionalTreeRegressor().fit(X, y, sample_weight=w)
    tree = model.tree_
    np.testing.assert_array_equal(tree.feature, [2, 1, -2, 0, -2, -2, 1, -2, -2])
    np.testing.assert_array_equal(tree.threshold[[0, 1, 3, 6]], [82, 6.9, 112, 8.6])
    np.testing.assert_array_equal(tree.weighted_n_node_samples[tree.is_leaf], [15, 29, 70, 43, 9])
    np.testing.assert_allclose(
        tree.value[tree.is_leaf, 0, 0], [51.0, 11.827586, 25.214286, 84.279070, 44.555556], rtol=1e-7
    )
    np.testing.assert_allclose(
        model.pvalues_[0], [8.458255388e-06, 4.464422393e-16, 4.185562854e-18, 0.1527565892, 0.99999715511]
    )


def test_iris():
    """ctree(Species ~ ., iris); the criterion of nodes 1, 3 and 4."""
    flowers = iris()
    model = ConditionalTreeClassifier().fit(flowers.drop("species"), flowers["species"])
    assert tree_lines(model) == [
        "[0] all rows: by petal_length, p < 0.001",
        "[1] petal_length ≤ 1.9: setosa (100 % of 50)",
        "[2] petal_length > 1.9: by petal_width, p < 0.001",
        "[3] petal_width ≤ 1.7: by petal_length, p < 0.001",
        "[4] petal_length ≤ 4.8: versicolor (98 % of 46)",
        "[5] petal_length > 4.8: versicolor (50 % of 8)",
        "[6] petal_width > 1.7: virginica (98 % of 46)",
    ]
    pvalues = [
        [3.83595827974e-20, 4.31276169258e-13, 1.39327080653e-30, 3.53272263514e-30],
        [3.49245863922e-06, 0.00866814781001, 2.03359125833e-14, 6.90097247054e-16],
        [0.949158431196, 0.800809244608, 0.000785487841596, 0.0524188883160],
    ]
    np.testing.assert_allclose(model.pvalues_[[0, 2, 3]], pvalues, rtol=1e-9)


def test_titanic_with_ordinal_and_nominal_columns_and_missing_values():
    """ctree(Survived ~ ., control = ctree_control(maxsurrogate = 3, majority = TRUE)); nodes 1 and 12."""
    people = titanic().drop("Name", "Ticket", "Cabin", "PassengerId")
    model = ConditionalTreeClassifier(max_surrogates=3).fit(people.drop("Survived"), people["Survived"])
    assert tree_lines(model)[1:] == [
        "[1] Sex = female: by Pclass, p < 0.001",
        "[2] Pclass ≤ 2: yes (95 % of 170)",
        "[3] Pclass > 2: by Fare, p < 0.001",
        "[4] Fare ≤ 23.25: yes (59 % of 117)",
        "[5] Fare > 23.25: no (89 % of 27)",
        "[6] Sex = male: by Pclass, p < 0.001",
        "[7] Pclass ≤ 1: by Age, p = 0.034",
        "[8] Age ≤ 52: no (58 % of 100)",
        "[9] Age > 52: no (86 % of 22)",
        "[10] Pclass > 1: by Age, p < 0.001",
        "[11] Age ≤ 9: by SibSp, p < 0.001",
        "[12] SibSp ≤ 2: yes (100 % of 16)",
        "[13] SibSp > 2: no (95 % of 19)",
        "[14] Age > 9: no (89 % of 420)",
    ]
    root = [101.9667764, 262.7553433, 4.2516884797, 1.1104342455, 5.93039048971, 58.92391535, 26.45935327]
    np.testing.assert_allclose(model.statistics_[0], root)
    boys = [0.002489918746, np.nan, 0.7883567348, 1.56383759e-05, 0.775960903, 0.004855262584, 0.2830957494]
    np.testing.assert_allclose(model.pvalues_[11], boys)


def test_penguins_mass_with_two_nominal_columns():
    """ctree(body_mass_g ~ ., subset(penguins, !is.na(body_mass_g))); the root, and leaves that lack no value."""
    birds = penguins()
    birds = birds.take(~birds["body_mass_g"].missing)
    model = ConditionalTreeRegressor(max_surrogates=3).fit(birds.drop("body_mass_g"), birds["body_mass_g"])
    root = [228.3581362, 134.2098286, 120.7670948, 75.94218455, 258.8164491, 59.96382889, 0.6075367619]
    np.testing.assert_allclose(model.statistics_[0], root, rtol=1e-8)
    p = [1.810334441e-49, 5.032734833e-29, 3.008138321e-27, 2.044650204e-17, 2.175716148e-57, 6.763173181e-14]
    np.testing.assert_allclose(model.pvalues_[0, :6], p)
    tree = model.tree_
    np.testing.assert_allclose(tree.value[[4, 5, 6, 8, 9], 0, 0], [3336.742424, 3633.333333, 3558.571429, 3871.153846,
                                                                  4099.019608])  # fmt: skip


@pytest.mark.parametrize("target", ["species", "body_mass_g"])
def test_the_largest_standardised_statistic(target):
    """ctree(..., control = ctree_control(teststat = "maximum")); p-values where a single statistic makes them exact."""
    birds = penguins()
    birds = birds.take(~birds["body_mass_g"].missing) if target == "body_mass_g" else birds
    cls = ConditionalTreeRegressor if target == "body_mass_g" else ConditionalTreeClassifier
    model = cls(teststat="maximum").fit(birds.drop(target), birds[target])
    statistics = {
        "species": [14.23142064, 15.45212863, 15.22273391, 16.03764354, 15.10898684, 0.220139053, 0.8775644969],
        "body_mass_g": [15.10898684, 11.58479314, 10.98940830, 8.714481313, 16.08777328, 7.743631505, 0.7794464458],
    }
    np.testing.assert_allclose(model.statistics_[0], statistics[target], rtol=1e-8)
    if target == "body_mass_g":
        exact = [3.008138321e-27, 2.044650204e-17, 2.175716148e-57]
        np.testing.assert_allclose(model.pvalues_[0, 2:5], exact)
    else:  # partykit integrates a trivariate normal: 0.99939; the bound may only be above
        assert model.pvalues_[0, 6] >= 0.99939
