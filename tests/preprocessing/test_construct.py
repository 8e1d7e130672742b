import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from probus.data import Column, Table
from probus.errors import DataError, ModelFileError
from probus.preprocessing import FeatureConstructor, StandardScaler
from probus.preprocessing._construct import OPERATIONS

screens = pytest.mark.parametrize("screen", ["mutual_information", "correlation"])


def built(constructor):
    return constructor.get_feature_names_out().tolist()[constructor.n_features_in_ :]


@screens
def test_noise_builds_nothing(screen):
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        kept += len(built(FeatureConstructor(screen=screen).fit(rng.normal(size=(200, 5)), rng.integers(2, size=200))))
    assert kept <= 3


def test_screening_inside_a_pipeline_does_not_leak(monkeypatch):
    monkeypatch.setattr("probus.preprocessing._construct._CHANCE", np.inf)  # keep what chance offers
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 10)), rng.integers(2, size=60)
    constructor, model = FeatureConstructor(screen="correlation"), make_pipeline(StandardScaler(), LogisticRegression())
    leaky = cross_val_score(model, constructor.fit_transform(X, y), y, cv=3).mean()
    honest = cross_val_score(make_pipeline(constructor, model), X, y, cv=3).mean()
    assert leaky > 0.75
    assert honest < 0.6


def test_what_is_built_depends_on_the_training_rows_only():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1] > 0
    constructor = FeatureConstructor().fit(X[:200], y[:200])
    assert constructor.transform(X)[:200].tolist() == constructor.transform(X[:200]).tolist()


@screens
def test_concentric_circles_become_separable(screen):
    rng = np.random.default_rng(2)
    angle, radius = rng.uniform(0, 2 * np.pi, 300), np.repeat([1.0, 2.0], 150) + rng.normal(0, 0.1, 300)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], 150)
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    with_radius = make_pipeline(FeatureConstructor(screen=screen), StandardScaler(), LogisticRegression())
    assert cross_val_score(plain, X, y).mean() < 0.7
    assert cross_val_score(with_radius, X, y).mean() > 0.98


def test_a_slanted_border_takes_one_split():
    X = np.random.default_rng(3).uniform(size=(400, 2))
    y = X[:, 1] > X[:, 0]
    constructor = FeatureConstructor(("difference",)).fit(X, y)
    assert built(constructor) == ["(x0 - x1)"]
    stump = DecisionTreeClassifier(max_depth=1)
    assert stump.fit(constructor.transform(X), y).score(constructor.transform(X), y) == 1


@pytest.mark.parametrize(
    ("operation", "target", "name"),
    [
        ("sum", lambda a, b: a + b, "(a + b)"),
        ("difference", lambda a, b: a - b, "(a - b)"),
        ("product", lambda a, b: a * b, "(a * b)"),
        ("quotient", lambda a, b: b / a, "(b / a)"),
        ("radius", lambda a, b: np.sqrt(a * a + b * b), "sqrt(a^2 + b^2)"),
        ("square_difference", lambda a, b: a * a - b * b, "(a^2 - b^2)"),
        ("asymmetry", lambda a, b: (a - b) / (a + b), "((a - b) / (a + b))"),
        ("inverse_asymmetry", lambda a, b: (a + b) / (a - b), "((a + b) / (a - b))"),
        ("square", lambda a, b: a * a, "a^2"),
        ("cube", lambda a, b: a**3, "a^3"),
        ("sine", lambda a, b: np.sin(a), "sin(a)"),
        ("cosine", lambda a, b: np.cos(a), "cos(a)"),
    ],
)
def test_each_operation_is_found_and_computed(operation, target, name):
    a, b = np.random.default_rng(4).uniform(0.5, 9, size=(2, 400))
    table = Table([Column.numbers("a", a), Column.numbers("b", b)])
    constructor = FeatureConstructor((operation,), screen="correlation").fit(table, target(a, b))
    assert built(constructor)[0] == name
    np.testing.assert_allclose(constructor.transform(table)[name].values, target(a, b))


def test_every_feature_is_more_relevant_than_its_parents():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    constructor = FeatureConstructor(screen="correlation").fit(X, y)
    assert built(constructor)
    for (i, j), relevance in zip(constructor.parents_, constructor.relevance_, strict=True):
        r = max(abs(np.corrcoef(X[:, k], y)[0, 1]) for k in (i, j))
        assert relevance > -0.5 * np.log(1 - r * r)


def test_copies_of_a_better_feature_are_left_out():
    X = np.random.default_rng(6).uniform(1, 2, size=(500, 2))
    X = np.column_stack([X, X[:, 0] + 1e-6])
    constructor = FeatureConstructor(("product",), top=5).fit(X, X[:, 0] * X[:, 1] > 2.2)
    assert len(built(constructor)) == 1


def test_at_most_top_features_are_added_the_most_relevant_first():
    X = np.random.default_rng(7).normal(size=(500, 6))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] * X[:, 5] > 0
    every, two = FeatureConstructor().fit(X, y), FeatureConstructor(top=2).fit(X, y)
    assert built(two) == built(every)[:2]
    assert (np.diff(every.relevance_) <= 0).all()


def test_only_the_most_relevant_columns_are_built_from():
    X = np.random.default_rng(8).normal(size=(500, 10))
    y = X[:, 3] + X[:, 7]
    constructor = FeatureConstructor(("sum",), max_features=2, screen="correlation").fit(X, y)
    assert built(constructor) == ["(x3 + x7)"]


def test_only_the_columns_named_are_built_from(mixed):
    constructor = FeatureConstructor(("square",), columns=["height"]).fit(
        mixed, (mixed["height"].values - 170) ** 2 > 40
    )
    assert set(constructor.parents_.ravel().tolist()) <= {1}
    with pytest.raises(DataError, match="column 'sex' is binary"):
        FeatureConstructor(columns=["sex"]).fit(mixed, mixed["height"].values)


def test_other_columns_pass_and_missing_parents_give_missing_values(mixed):
    ratio = mixed["height"].values * np.nan_to_num(mixed["age"].values, nan=40.0)
    constructor = FeatureConstructor(("product",), screen="correlation").fit(mixed, ratio)
    out = constructor.transform(mixed)
    assert out.names == (*mixed.names, "(age * height)")
    assert out["colour"] is mixed["colour"]
    np.testing.assert_array_equal(out["(age * height)"].missing, mixed["age"].missing)


def test_division_by_zero_and_overflow_give_zero():
    made = OPERATIONS["quotient"](np.array([1.0, 0.0, np.nan, 6.0]), np.array([0.0, 0.0, 1.0, 3.0]))
    np.testing.assert_array_equal(made, [0, 0, np.nan, 2])
    assert OPERATIONS["product"](np.array([1e300]), np.array([1e300])).tolist() == [0]


def test_many_rows_are_screened_on_a_sample(monkeypatch):
    monkeypatch.setattr("probus.preprocessing._construct._SCREENED_ROWS", 200)
    X = np.random.default_rng(9).normal(size=(1000, 3))
    y = X[:, 0] * X[:, 2] > 0
    one, other = (FeatureConstructor(random_state=0).fit(X, y) for _ in range(2))
    assert built(one)[0] == "(x0 * x2)"
    np.testing.assert_array_equal(one.relevance_, other.relevance_)


def test_bad_parameters_are_errors():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    with pytest.raises(DataError, match=r"operations='power'.*\n.*'quotient'"):
        FeatureConstructor(("power",)).fit(X, y)
    with pytest.raises(DataError, match="The 'screen' parameter of FeatureConstructor must be"):
        FeatureConstructor(screen="guess").fit(X, y)


def test_a_feature_built_from_levels_is_refused(mixed):
    constructor = FeatureConstructor().fit(mixed, mixed["height"].values)
    constructor.parents_ = np.array([[2, 2]])
    with pytest.raises(ModelFileError, match="not numeric"):
        constructor.check_fitted_state()
