"""Bad input of linear models: named in errors and warnings, never a crash or an answer that is not finite."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from probus.data import Table
from probus.errors import DataError
from probus.linear_model import (
    ElasticNet,
    GammaRegressor,
    GeneralizedLinearEstimator,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = X @ [1.0, -1.0, 0.5] + 0.1 * rng.normal(size=40)
LABELS = (np.median(Y) < Y).astype(int)
COUNTS = rng.poisson(np.exp(0.3 * X[:, 0]))
REGRESSIONS = [LinearRegression(), Ridge(), RidgeCV(), Lasso(0.01), ElasticNet(0.01), GeneralizedLinearEstimator()]
CLASSIFIERS = [LogisticRegression(), LogisticRegression(l1_ratio=1.0), RidgeClassifier(),
               GeneralizedLinearEstimator("log_loss")]  # fmt: skip
COUNTING = [PoissonRegressor(), GammaRegressor(), GeneralizedLinearEstimator("poisson")]
ALL = [(m, Y) for m in REGRESSIONS] + [(m, LABELS) for m in CLASSIFIERS] + [(m, COUNTS + 1) for m in COUNTING]
NAMES = [type(model).__name__ for model, _ in ALL]


@pytest.mark.parametrize(("model", "y"), ALL, ids=NAMES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_named_with_what_to_do(model, y, value):
    column = X[:, 1].copy()
    column[3] = value
    table = Table.of({"a": X[:, 0], "b": column})
    with pytest.raises(DataError, match=r"'b' \(numeric\)(?s:.)*probus\.tabular"):
        model.fit(table, y)
    what = "NaN" if np.isnan(value) else "infinity"
    with pytest.raises(
        DataError, match=rf"Input X contains {what}(?s:.)*probus\.tabular\({type(model).__name__}\(\)\)"
    ):
        model.fit(table.numbers(), y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("model", "y"), ALL, ids=NAMES)
def test_constant_and_equal_columns_do_no_harm(model, y):
    odd = np.column_stack([X, np.full(40, 7.0), X[:, 0], np.zeros(40)])
    plain, fitted = model.fit(X, y).predict(X), model.fit(odd, y).predict(odd)
    assert np.isfinite(np.ravel(model.coef_)).all()
    if isinstance(model, GeneralizedLinearEstimator):  # no penalty: the constant column is a second intercept
        assert (fitted == plain).all() if model.datafit == "log_loss" else fitted == pytest.approx(plain, rel=1e-3)
    else:
        assert np.ravel(model.coef_)[[3, 5]] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LinearRegression(), Y),
        (Ridge(0.0), Y),
        (Lasso(1e-8), Y),
        (GeneralizedLinearEstimator(), Y),
        (LogisticRegression(C=np.inf), LABELS),
        (PoissonRegressor(alpha=0.0), COUNTS),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_more_columns_than_rows_without_a_penalty_have_a_finite_answer(model, y):
    wide = rng.normal(size=(40, 90))
    model.fit(wide, y)
    assert np.isfinite(np.ravel(model.coef_)).all()
    if not isinstance(model, PoissonRegressor):  # its counts of zero have no finite fit
        assert model.score(wide, y) > 0.99


def test_dependent_columns_are_named():
    table = Table.of({"a": X[:, 0], "b": X[:, 1], "sum": X[:, 0] + X[:, 1], "one": np.ones(40), "c": X[:, 2]})
    model = LinearRegression().fit(table, Y)
    assert model.rank_ == 3
    np.testing.assert_array_equal(model.dependent_, [2, 3])
    with pytest.raises(DataError, match=r"combinations of the columns before them: 'sum', 'one'\.(?s:.)*use Ridge"):
        model.summary()
    assert len(LinearRegression().fit(X, Y).dependent_) == 0


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_separated_classes_have_a_finite_answer_with_a_penalty(l1_ratio):
    model = LogisticRegression(C=100.0, l1_ratio=l1_ratio).fit(X, X[:, 0] > 0)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, X[:, 0] > 0) == 1.0


def test_separated_classes_without_a_penalty_are_reported():
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    for options in ({}, {"reference": 1}, {"multi_class": "ovr"}):
        with pytest.warns(ConvergenceWarning, match="perfectly separated: without a penalty"):
            model = LogisticRegression(C=np.inf, **options).fit(X * [3.0, 1.0, 1.0], three)
        assert np.isfinite(model.coef_).all()


def test_negative_counts_and_amounts_are_counted():
    for model in COUNTING:
        with pytest.raises(DataError, match=r"1 of 40 values are (negative|0 or negative)"):
            model.fit(X, np.append(COUNTS[1:] + 1, -2))


def test_one_class_is_refused():
    for model in CLASSIFIERS:
        with pytest.raises(DataError, match="only one class"):
            model.fit(X, np.zeros(40, dtype=int))
