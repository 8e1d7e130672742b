"""Maps from the probabilities of a model to calibrated ones, fitted on out-of-fold predictions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import isotonic_regression, minimize
from scipy.special import log_softmax, softmax
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from probus.errors import DataError, ModelFileError
from probus.state import Array, Number, Part, Spec, String

MAPS = ("none", "temperature", "sigmoid", "beta", "isotonic")

_FOLDS = 5
_FEWEST_ROWS = 20  # to try a temperature, which all classes share
_FEWEST = {"sigmoid": 10, "beta": 30, "isotonic": 100}  # rows of the rarest class, to be tried
_TINY = 1e-12  # no probability counts as less: a logarithm of −28
_EPS = float(np.finfo(np.float64).eps)
_MOST_STEPS, _DECREASE, _SAME = (
    60,
    1e-16,
    1e-14,
)  # of Newton's method: steps; decrease of the loss, at the end and noise


@dataclass(frozen=True, eq=False)
class ProbabilityMap(Part):
    """A map from probabilities to calibrated ones.

    Attributes
    ----------
    method : "none"; "temperature", softmax(a · log p); "sigmoid", softmax(a · log p + b), which is Platt's for two
        classes; "beta", for two classes, with a slope for log p and another for log (1 − p) (Kull, Silva Filho and
        Flach 2017); "isotonic", a rising step function for each class, scaled to a sum of one.
    floor : probabilities below it count as it where logarithms are taken.
    coefficients : the slopes, then the offsets.
    knots : float64[2, m], places and values of the step functions.
    ends : int64[K], where the step function of each class ends.
    """

    method: str
    floor: float
    coefficients: np.ndarray
    knots: np.ndarray
    ends: np.ndarray
    declared: ClassVar[Mapping[str, Spec]] = {
        "method": String(MAPS),
        "floor": Number(),
        "coefficients": Array("f8", "c"),
        "knots": Array("f8", "two m"),
        "ends": Array("i8", "k", low=0),
    }

    def check(self) -> None:
        """Raise a ModelFileError where sizes contradict the method."""
        steps = self.method == "isotonic"
        falling = (np.diff(self.ends) < 0).any() or (self.ends > self.knots.shape[-1]).any()
        if steps and (len(self.knots) != 2 or not len(self.ends) or falling):
            raise ModelFileError("step functions that do not end where they should.", "ends that ascend")

    def __call__(self, p: np.ndarray) -> np.ndarray:
        """The calibrated probabilities: float64[n, K]."""
        if self.method == "none" or p.shape[1] == 1:
            return p
        if self.method == "isotonic":
            return self._steps(p)
        slopes, offsets = _parameters(self.method, self.coefficients, p.shape[1])
        return softmax(_evidence(p, self.floor) @ slopes + offsets, axis=1)

    def _steps(self, p: np.ndarray) -> np.ndarray:
        out, first = np.empty_like(p), 0
        for code, last in enumerate(self.ends):
            x, y = self.knots[:, first:last]
            out[:, code] = np.interp(p[:, code], x, y)
            first = last
        if p.shape[1] == 2:
            return np.column_stack([1 - out[:, 1], out[:, 1]])
        return out / out.sum(axis=1, keepdims=True)


def fitted_map(method: str, p: np.ndarray, actual: np.ndarray, weights: np.ndarray | None) -> ProbabilityMap:
    """The map of that method that fits probabilities to the classes that came true."""
    _must_be_map(method, p.shape[1])
    w = np.ones(len(p)) if weights is None else weights
    floor, empty = _floor(p), np.empty((2, 0))
    if method == "none" or p.shape[1] == 1:
        return ProbabilityMap("none", floor, np.empty(0), empty, np.empty(0, np.int64))
    if method == "isotonic":
        steps = [_step_function(p[:, code], actual == code, w) for code in range(p.shape[1])]
        ends = np.cumsum([step.shape[1] for step in steps])
        return ProbabilityMap(method, floor, np.empty(0), np.hstack(steps), ends.astype(np.int64))
    found = _coefficients(method, _evidence(p, floor), actual, w, p.shape[1])
    return ProbabilityMap(method, floor, found, empty, np.empty(0, np.int64))


def chosen_map(
    method: str,
    p: np.ndarray,
    actual: np.ndarray,
    weights: np.ndarray | None,
    groups: np.ndarray | None,
    rows: np.ndarray | None = None,
    fold: np.ndarray | None = None,
) -> tuple[ProbabilityMap, np.ndarray]:
    """The map, and the probabilities of each row by a map that was not fitted on it.

    rows : the row of each prediction, where some have several, which then share its weight.
    fold : by which model each was made: where these are a few, the map for a fold is fitted on all others.

    "auto" begins with "none", and takes the better of "temperature" and "sigmoid", then the better of "beta" and
    "isotonic", each if its cross-validated log loss is less by more than the standard error of the difference. "none"
    is given up in any case if the model gives probabilities of zero, which no number of rows can show.
    """
    _must_be_map(method, p.shape[1], auto=True)
    once = slice(None) if rows is None else np.unique(rows, return_index=True)[1]
    tried = (
        [method] if method != "auto" else _try_all(p[once], actual[once], None if weights is None else weights[once])
    )
    folds = (_own_folds(fold) or _folds(actual, groups, rows)) if tried != ["none"] else []
    crossed = {name: _cross_fitted(name, p, actual, weights, folds) for name in tried}
    losses = {name: _surprise(found, actual) for name, found in crossed.items()}
    counts = slice(None) if weights is None else weights > 0
    impossible = bool((p[counts] == 0).any() or (losses[tried[0]][counts] >= -np.log(_EPS)).any())
    best = _best(losses, weights, rows if groups is None else groups, impossible) if method == "auto" else method
    return fitted_map(best, p, actual, weights), crossed[best]


# -- fitting -------------------------------------------------------------------------------------------


def _floor(p: np.ndarray) -> float:
    """What a probability of zero counts as: less than half a row of these, and than those that are not zero.

    Probabilities of naive Bayes that are tiny differ by what they are worth, so they must not all count the same.
    """
    positive = p[p > 0]
    return float(np.clip(positive.min(initial=1.0) / 2, _TINY, 0.5 / max(len(p), 1)))


def _evidence(p: np.ndarray, floor: float) -> np.ndarray:
    """What is multiplied by slopes: the logarithms of probabilities."""
    return np.log(np.clip(p, floor, None))


def _parameters(method: str, theta: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of slopes and the offsets of the classes: the first class has an offset of 0."""
    if method == "beta":  # log odds = a log p₁ − b log p₀ + c
        return np.array([[theta[1], 0.0], [0.0, theta[0]]]), np.array([0.0, theta[2]])
    offsets = np.zeros(k) if method == "temperature" else np.concatenate([[0.0], theta[1:]])
    return theta[0] * np.eye(k), offsets


def _coefficients(method: str, evidence: np.ndarray, actual: np.ndarray, w: np.ndarray, k: int) -> np.ndarray:
    """The coefficients of largest posterior density, given a normal prior of variance 1 around "no change".

    The prior weighs as much as about one row: it matters where the rows are few or classes perfectly separated.
    """
    n_slopes = 2 if method == "beta" else 1
    n_offsets = {"temperature": 0, "beta": 1, "sigmoid": k - 1}[method]
    start = np.concatenate([np.ones(n_slopes), np.zeros(n_offsets)])
    hot = np.eye(k)[actual]
    if method != "beta" and (found := _by_newton(evidence, hot, w, n_offsets)) is not None:
        return found

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        slopes, offsets = _parameters(method, theta, k)
        logs = log_softmax(evidence @ slopes + offsets, axis=1)
        off = w[:, None] * (np.exp(logs) - hot)  # the derivative by the scores of the classes
        if method == "beta":
            by_slope = [float(off[:, 1] @ evidence[:, 1]), float(off[:, 0] @ evidence[:, 0])]
        else:
            by_slope = [float(np.sum(off * evidence))]
        gradient = np.concatenate([by_slope, off.sum(axis=0)[1 : 1 + n_offsets]])
        value = -float(w @ np.sum(logs * hot, axis=1)) + 0.5 * float(np.sum((theta - start) ** 2))
        return value, gradient + theta - start

    bounds = [(0.0, None)] * n_slopes + [(None, None)] * n_offsets
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13, "gtol": 1e-8}).x


def _by_newton(evidence: np.ndarray, hot: np.ndarray, w: np.ndarray, n_offsets: int) -> np.ndarray | None:
    """The slope and the offsets by Newton's method, whose few steps take an eighth of the time with many classes.

    A step that does not lessen the loss, or leads to a slope below its bound of zero, is halved. None where that does
    not help, as at the bound.
    """
    start = np.concatenate([[1.0], np.zeros(n_offsets)])
    theta, step, value = start, np.zeros(1 + n_offsets), np.inf
    for _ in range(_MOST_STEPS):
        scores = (theta[0] - step[0]) * evidence
        scores[:, 1 : 1 + n_offsets] += theta[1:] - step[1:]
        logs = log_softmax(scores, axis=1)
        new = -float(w @ np.sum(logs * hot, axis=1)) + 0.5 * float(np.sum((theta - step - start) ** 2))
        if theta[0] <= step[0] or not new <= value + _SAME * abs(value):
            step = step / 2
            continue
        theta, value = theta - step, new
        gradient, hessian = _derivatives(np.exp(logs), evidence, hot, w, n_offsets)
        gradient += theta - start
        step = np.linalg.solve(hessian, gradient)
        if float(step @ gradient) < _DECREASE * max(1.0, value):
            return theta
    return None


def _derivatives(
    p: np.ndarray, evidence: np.ndarray, hot: np.ndarray, w: np.ndarray, n_offsets: int
) -> tuple[np.ndarray, np.ndarray]:
    """Of the loss by the slope and the offsets: the gradient without the prior, and the Hessian with it."""
    weighted = w[:, None] * p
    off = weighted - w[:, None] * hot  # the derivative by the scores of the classes
    gradient = np.concatenate([[np.sum(off * evidence)], off.sum(axis=0)[1 : 1 + n_offsets]])
    away = evidence - np.sum(p * evidence, axis=1, keepdims=True)
    hessian = np.eye(1 + n_offsets)
    hessian[0, 0] += np.sum(weighted * evidence * away)
    if n_offsets:
        hessian[0, 1:] = hessian[1:, 0] = np.sum(weighted * away, axis=0)[1:]
        hessian[1:, 1:] += (np.diag(weighted.sum(axis=0)) - p.T @ weighted)[1:, 1:]
    return gradient, hessian


def _step_function(p: np.ndarray, event: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The rising step function nearest to the events: places and values, float64[2, m]."""
    places, code = np.unique(p, return_inverse=True)
    mass = np.bincount(code, w)
    kept = mass > 0
    share = np.bincount(code, w * event)[kept] / mass[kept]
    fit = isotonic_regression(share, weights=mass[kept])
    # within blocks by their share, between them linearly; half an event more or less at the ends keeps loss finite
    least = 0.5 / (mass.sum() + 1)
    x, y = places[kept], np.clip(fit.x, least, 1 - least)
    edge = np.ones(len(x), bool)
    edge[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return np.array([x[edge], y[edge]])


# -- choosing ------------------------------------------------------------------------------------------


def _must_be_map(method: str, k: int, *, auto: bool = False) -> None:
    known = (*MAPS, "auto") if auto else MAPS
    if method not in known:
        raise DataError(f"calibration={method!r}.", "one of " + ", ".join(map(repr, known)))
    if method == "beta" and k > 2:
        raise DataError(f"calibration='beta' for {k} classes.", "two classes", "Use 'sigmoid' or 'temperature'.")


def _try_all(p: np.ndarray, actual: np.ndarray, weights: np.ndarray | None) -> list[str]:
    counted = actual if weights is None else actual[weights > 0]
    rarest, k = int(np.bincount(counted, minlength=p.shape[1]).min()), p.shape[1]
    possible = [name for name, least in _FEWEST.items() if rarest >= least and (name != "beta" or k == 2)]
    temperature = ["temperature"] * (len(counted) >= _FEWEST_ROWS)
    return ["none", *temperature, *possible] if k > 1 else ["none"]


def _own_folds(fold: np.ndarray | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Those of the predictions; none where there is one, or so many that fitting a map for each takes long."""
    numbers = np.unique(fold) if fold is not None else np.empty(0)
    if not 2 <= len(numbers) <= 2 * _FOLDS:
        return []
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in numbers]


def _folds(
    actual: np.ndarray, groups: np.ndarray | None, rows: np.ndarray | None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds that split neither groups nor the predictions of a row."""
    if groups is None and rows is not None:
        _, once, code = np.unique(rows, return_index=True, return_inverse=True)
        tests = [np.isin(code, test) for _, test in _folds(actual[once], None, None)]
        return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]
    if groups is not None:
        n = min(_FOLDS, len(np.unique(groups)))
        return list(GroupKFold(n, shuffle=True, random_state=0).split(actual, actual, groups))
    n = min(_FOLDS, int(np.bincount(actual).max()))
    if n < 2:  # every row is a class of its own
        return list(KFold(min(_FOLDS, len(actual)), shuffle=True, random_state=0).split(actual))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        return list(StratifiedKFold(n, shuffle=True, random_state=0).split(actual, actual))


def _cross_fitted(
    name: str, p: np.ndarray, actual: np.ndarray, weights: np.ndarray | None, folds: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    if name == "none":
        return p
    out = np.empty_like(p)
    for train, test in folds:
        own = None if weights is None else weights[train]
        out[test] = fitted_map(name, p[train], actual[train], own)(p[test])
    return out


def _surprise(p: np.ndarray, actual: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(p[np.arange(len(p)), actual], _EPS))


def _best(
    losses: dict[str, np.ndarray], weights: np.ndarray | None, groups: np.ndarray | None, impossible: bool
) -> str:
    """The method to take, given the losses of each row by each; "none" only if probabilities are possible ones."""

    def mean(name: str) -> float:
        return float(np.average(losses[name], weights=weights))

    best = "none"
    for names in (("temperature", "sigmoid"), ("beta", "isotonic")):
        better = min((name for name in names if name in losses), key=mean, default=None)
        if better is None:
            continue
        hopeless = impossible and best == "none"
        if hopeless or _surely_less(losses[better], losses[best], weights, groups):
            best = better
    return best


def _surely_less(less: np.ndarray, more: np.ndarray, weights: np.ndarray | None, groups: np.ndarray | None) -> bool:
    """Whether the mean is less by more than the standard error of the difference."""
    gain, w = more - less, np.ones(len(less)) if weights is None else weights / weights.mean()
    mean = float(np.average(gain, weights=w))
    moves = w * (gain - mean)
    if groups is not None:
        moves = np.bincount(np.unique(groups, return_inverse=True)[1], moves)
    return mean > float(np.sqrt(moves @ moves)) / len(gain)
