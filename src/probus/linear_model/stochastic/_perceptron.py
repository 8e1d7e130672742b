"""The perceptron and Adaline: rules of early neurons, as stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from probus.linear_model.stochastic._sgd_classifier import DescentClassifier
from probus.parameters import inherited, parameter


class Perceptron(DescentClassifier):
    r"""The perceptron, which adds :math:`η y_i x_i` to its coefficients for every row that it gets wrong.

    It is ``SGDClassifier(loss="perceptron", learning_rate="constant", penalty=None)``: the loss max(0, −y p) has no
    margin, so a line that separates the classes, once found, stays, and if there is none the steps never end.

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

    penalty: str | None = inherited(default=None)
    eta0: float = parameter(
        "The size η of the steps; without a penalty it scales the coefficients only.", default=1.0, above=0
    )
    random_state: Any = inherited(default=0)

    loss = "perceptron"
    learning_rate = "constant"
    epsilon = 0.1
    power_t = 0.5
    average = False
    optimiser = None


class Adaline(Perceptron):
    r"""The adaptive linear neuron, by the delta rule :math:`β ← β + η (y_i - x_i β - β_0) x_i` (Widrow and Hoff 1960).

    The perceptron learns from the sign of its answer, Adaline from the answer itself: every row moves the coefficients,
    by how far its score is from −1 or 1. It minimises squared errors, so its steps end at the least squares solution
    even where no line separates the classes. But rows that are right by a wide margin pull at it too, and where a line
    separates the classes it need not find one. η must be small: above 2 / ‖x‖² the steps grow.

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

    eta0: float = parameter("The size η of the steps.", default=0.01, above=0, kw_only=False)

    loss = "squared_error"
    class_weight = None
