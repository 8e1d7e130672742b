"""Regression by a Gaussian process."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm
from sklearn.base import MultiOutputMixin
from sklearn.gaussian_process import GaussianProcessRegressor as Process
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model, Regressor
from probus.errors import DataError
from probus.gaussian_process._kernel_text import check_kernel, kernel_of
from probus.gaussian_process._process_rows import process_rows
from probus.linear_model import checked_targets
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Either, Number, Spec


class GaussianProcessRegressor(MultiOutputMixin, Regressor):
    """Regression by a Gaussian process, whose predictions are normal distributions.

    scikit-learn's class, parameters and algebra.

    Attributes
    ----------
    kernel_ : Kernel, with its chosen parameters
    theta_ : array, the logarithms of these
    X_train_, y_train_ : the rows and targets of the fit
    log_marginal_likelihood_value_ : float

    Examples
    --------
    >>> X = np.linspace(0.0, 6.0, 20)[:, None]
    >>> model = GaussianProcessRegressor("1.0 * RBF(1.0)", alpha=1e-4).fit(X, np.sin(X[:, 0]))
    >>> low, high = model.predict_interval([[3.0]])
    >>> bool(low[0] < np.sin(3.0) < high[0]), bool(high[0] - low[0] < 0.1)
    (True, True)
    """

    kernel: Any = parameter(
        "The covariance of the function's values at two rows, of ``probus.gaussian_process.kernels``; or text "
        'such as "1.0 * RBF(1.0) + WhiteKernel(0.1)", with which the model can be saved. None is "1.0 * '
        'RBF(1.0)".',
        default=None,
        of=[NoneAllowed(), InstanceOf(Kernel), InstanceOf(str)],
        kw_only=False,
    )
    alpha: Any = parameter(
        "The variance of the noise of the targets.", default=1e-10, of=[RealIn(at_least=0), InstanceOf(np.ndarray)]
    )
    optimizer: Any = parameter(
        "How the parameters of the kernel are chosen to maximise the likelihood; None keeps them.",
        default="fmin_l_bfgs_b",
        of=[OneOf("fmin_l_bfgs_b"), CallableValue(), NoneAllowed()],
    )
    n_restarts_optimizer: int = parameter("How often the optimiser starts again at random.", default=0, at_least=0)
    normalize_y: bool = parameter("Whether targets are scaled to mean 0 and variance 1 first.", default=False)
    copy_X_train: bool = parameter("As in scikit-learn; ignored.", default=True)
    n_targets: int | None = parameter("The number of targets of ``sample_y`` before a fit.", default=None, at_least=1)
    random_state: Any = RANDOM_STATE

    accepts = Accepts(scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "X_train_": Array("f8", "n d"),
        "y_train_": Either(Array("f8", "n"), Array("f8", "n t")),
        "theta_": Array("f8", "*"),
        "log_marginal_likelihood_value_": Number(),
    }

    theta_: np.ndarray = attribute()
    X_train_: np.ndarray = attribute()
    y_train_: np.ndarray = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """With some noise, as rows may be equal."""
        return [cls(alpha=0.1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Choose the parameters of the kernel by the likelihood."""
        X = process_rows(self, X, reset=True)
        targets, single = checked_targets(y, len(X))
        self.X_train_, self.y_train_ = X, targets[:, 0].copy() if single else targets
        chosen = self._peer(kernel_of(self.kernel), self.optimizer).fit(X, self.y_train_)
        self.theta_ = chosen.kernel_.theta.copy()
        self.log_marginal_likelihood_value_ = float(chosen.log_marginal_likelihood_value_)
        self._process = chosen if chosen.kernel_ == self.kernel_ else self._rebuilt()  # as after loading
        return self

    def check_fitted_state(self) -> None:
        """Raise unless the kernel can be read and has as many parameters as were chosen."""
        check_kernel(self.kernel, self.theta_.size)

    def _peer(self, kernel: Any, optimizer: Any) -> Process:
        others = ("alpha", "n_restarts_optimizer", "normalize_y", "n_targets", "random_state")
        return Process(kernel, optimizer=optimizer, **{name: getattr(self, name) for name in others})

    @property
    def kernel_(self) -> Kernel:
        """The kernel with its chosen parameters."""
        check_is_fitted(self)
        own = ConstantKernel() * RBF() if self.kernel is None else kernel_of(self.kernel)
        return own.clone_with_theta(self.theta_)

    def _rebuilt(self) -> Process:
        """The process with the chosen parameters; after loading, it is computed from the rows again."""
        return self._peer(self.kernel_, None).fit(self.X_train_, self.y_train_)

    def _fitted_process(self) -> Process:
        check_is_fitted(self)
        if not hasattr(self, "_process"):
            self._process = self._rebuilt()
        return self._process

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The means of the predictions, and on request their standard deviations or covariances.

        A process that is not fitted predicts from its kernel alone.
        """
        if not hasattr(self, "theta_"):
            X = process_rows(self, X, reset=True)
            return self._peer(kernel_of(self.kernel), None).predict(X, return_std=return_std, return_cov=return_cov)
        X, process = process_rows(self, X, reset=False), self._fitted_process()
        if return_std or return_cov:
            return process.predict(X, return_std=return_std, return_cov=return_cov)
        mean = process._y_train_std * (process.kernel_(X, self.X_train_) @ process.alpha_) + process._y_train_mean
        return mean[:, 0] if mean.ndim > 1 and mean.shape[1] == 1 else mean

    def predict_interval(
        self, X: Any, level: float = 0.95, *, observations: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper ends of intervals that hold a value with that probability, if the kernel is right.

        observations : whether the value is a new target, with the noise ``alpha``, or the function without it. The
            noise of a ``WhiteKernel`` is part of the kernel, and counts in both.
        """
        if not 0.0 < level < 1.0:
            raise DataError(f"level={level!r}.", "a number between 0 and 1")
        if observations and np.ndim(self.alpha) > 0:
            raise DataError("alpha has a value for each training row.", "one noise for all", "Pass observations=False.")
        mean, std = self.predict(X, return_std=True)
        if observations:
            scale = np.asarray(self._fitted_process()._y_train_std)
            std = np.sqrt(std**2 + float(self.alpha) * scale**2)
        reach = norm.ppf(0.5 + 0.5 * level) * std
        return mean - reach, mean + reach

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Values of functions drawn from the process, at each row."""
        if not hasattr(self, "theta_"):
            X = process_rows(self, X, reset=True)
            return self._peer(kernel_of(self.kernel), None).sample_y(X, n_samples, random_state)
        return self._fitted_process().sample_y(process_rows(self, X, reset=False), n_samples, random_state)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The log-likelihood of the training targets for parameters ``theta``, by default the chosen ones."""
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        return self._fitted_process().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
