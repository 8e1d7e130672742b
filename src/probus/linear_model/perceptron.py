"""The perceptron and Adaline: rules of early neurons, as stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

from probus.linear_model.sgd_classifier import DescentClassifier

__all__ = ["Adaline", "Perceptron"]


class Perceptron(DescentClassifier):
    r"""The perceptron, which adds :math:`η y_i x_i` to its coefficients for every row that it gets wrong.

    It is ``SGDClassifier(loss="perceptron", learning_rate="constant", penalty=None)``: the loss max(0, −y p) has no
    margin, so a line that separates the classes, once found, stays, and if there is none the steps never end.

    Parameters
    ----------
    penalty, alpha, l1_ratio, fit_intercept, max_iter, tol, shuffle, verbose
        See ``SGDClassifier``.
    eta0 : float
        The size η of the steps; without a penalty it scales the coefficients only.
    n_jobs, random_state, early_stopping, validation_fraction, n_iter_no_change, class_weight, warm_start
        See ``SGDClassifier``.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, t_ : as of ``SGDClassifier``

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    >>> model = Perceptron(tol=None, max_iter=20).fit(X, y)
    >>> model.predict(X)
    array([0, 0, 0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: kinds
        for name, kinds in DescentClassifier._parameter_constraints.items()
        if name not in ("loss", "average", "learning_rate", "power_t", "epsilon", "optimiser")
    }
    loss = "perceptron"
    learning_rate = "constant"
    epsilon = 0.1
    power_t = 0.5
    average = False
    optimiser = None

    def __init__(
        self,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start


class Adaline(Perceptron):
    r"""The adaptive linear neuron, by the delta rule :math:`β ← β + η (y_i - x_i β - β_0) x_i` (Widrow and Hoff 1960).

    The perceptron learns from the sign of its answer, Adaline from the answer itself: every row moves the coefficients,
    by how far its score is from −1 or 1. It minimises squared errors, so its steps end at the least squares solution
    even where no line separates the classes; but rows that are right by a wide margin pull at it too, and where a line
    separates the classes it need not find one. η must be small: above 2 / ‖x‖² the steps grow.

    Parameters
    ----------
    eta0 : float
        The size η of the steps.
    penalty, alpha, l1_ratio, fit_intercept, max_iter, tol, shuffle, verbose
        See ``SGDClassifier``.
    n_jobs, random_state, early_stopping, validation_fraction, n_iter_no_change, warm_start
        See ``SGDClassifier``.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, t_ : as of ``SGDClassifier``

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    >>> model = Adaline(eta0=0.1, random_state=0).fit(X, y)
    >>> model.predict(X), model.coef_.round(1)
    (array([0, 0, 0, 1]), array([[0.9, 0.9]]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: kinds for name, kinds in Perceptron._parameter_constraints.items() if name != "class_weight"
    }
    loss = "squared_error"
    class_weight = None

    def __init__(
        self,
        eta0: float = 0.01,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
    ):
        self.eta0 = eta0
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
