"""Classification by Gaussian processes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier as Process
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, ConstantKernel, Kernel
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed, OneOf
from probus.base import Accepts, Classifier, encoded_classes
from probus.errors import DataError
from probus.gaussian_process._kernel_text import check_kernel, kernel_of
from probus.gaussian_process._process_rows import process_rows
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.state import Array, Labels, Number, Spec


class GaussianProcessClassifier(Classifier):
    """Classification by Gaussian processes, with Laplace's approximation.

    scikit-learn's class, parameters and algebra.

    Attributes
    ----------
    classes_ : array of classes
    kernel_ : Kernel, with its chosen parameters; a compound of one for each process of several classes
    theta_ : array of processes × parameters, the logarithms of these
    X_train_, y_train_ : the rows of the fit, and the codes of their classes
    log_marginal_likelihood_value_ : float

    Examples
    --------
    >>> X = np.linspace(0.0, 6.0, 20)[:, None]
    >>> model = GaussianProcessClassifier("RBF(1.0)", optimizer=None).fit(X, X[:, 0] > 3.0)
    >>> model.predict([[1.0], [5.0]])
    array([False,  True])
    """

    kernel: Any = parameter(
        "The kernel, or its text, as of ``GaussianProcessRegressor``; None is 1.0 * RBF(1.0), whose "
        "parameters are optimised.",
        default=None,
        of=[InstanceOf(Kernel), InstanceOf(str), NoneAllowed()],
        kw_only=False,
    )
    optimizer: Any = parameter(
        "How the parameters of the kernel are chosen to maximise the likelihood: by L-BFGS or a function of "
        "your own; None keeps them.",
        default="fmin_l_bfgs_b",
        of=[OneOf("fmin_l_bfgs_b"), CallableValue(), NoneAllowed()],
    )
    n_restarts_optimizer: int = parameter(
        "How often the optimiser starts again from random parameters.", default=0, at_least=0
    )
    max_iter_predict: int = parameter("The most Newton steps of Laplace's approximation.", default=100, at_least=1)
    warm_start: bool = parameter(
        "Whether Newton's steps start at the solution for the last parameters of the kernel.", default=False
    )
    copy_X_train: bool = parameter("It has no effect; scikit-learn has it.", default=True)
    random_state: Any = RANDOM_STATE
    multi_class: str = parameter(
        'How several classes are made of processes of two; "one_vs_one" has no probabilities.',
        default="one_vs_rest",
        one_of=("one_vs_rest", "one_vs_one"),
    )
    n_jobs: int | None = N_JOBS

    accepts = Accepts(scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "X_train_": Array("f8", "n d"),
        "y_train_": Array("i8", "n", low=0, high="K"),
        "theta_": Array("f8", "* *"),
        "log_marginal_likelihood_value_": Number(),
    }

    theta_: np.ndarray = attribute()
    X_train_: np.ndarray = attribute()
    y_train_: np.ndarray = attribute()

    def fit(self, X: Any, y: Any) -> GaussianProcessClassifier:
        """Choose the parameters of the kernel by the likelihood."""
        X = process_rows(self, X, reset=True)
        self.classes_, self.y_train_ = encoded_classes(y, len(X))
        if len(self.classes_) < 2:
            raise DataError(
                "GaussianProcessClassifier requires 2 or more distinct classes; got 1 class (only class "
                f"{self.classes_.tolist()[0]!r} is present).",
                "two or more classes",
            )
        self.X_train_ = X
        chosen = self._peer(kernel_of(self.kernel), self.optimizer).fit(X, self.y_train_)
        self.theta_ = np.array([process.kernel_.theta for process in _parts(chosen)]).reshape(len(_parts(chosen)), -1)
        self.log_marginal_likelihood_value_ = float(chosen.log_marginal_likelihood_value_)
        self._process = chosen if self._is_as_loaded(chosen) else self._rebuilt()
        return self

    def _is_as_loaded(self, chosen: Process) -> bool:
        """Whether a process computed again from the logarithms of its parameters would be equal to the last digit."""
        if self.warm_start:
            return False
        return not self.theta_.size or [part.kernel_ for part in _parts(chosen)] == self._kernels()

    def check_fitted_state(self) -> None:
        """Raise unless the kernel can be read and has as many parameters as were chosen."""
        check_kernel(self.kernel, self.theta_.shape[1])

    def _peer(self, kernel: Any, optimizer: Any) -> Process:
        others = ("n_restarts_optimizer", "max_iter_predict", "warm_start", "random_state", "multi_class", "n_jobs")
        return Process(kernel, optimizer=optimizer, **{name: getattr(self, name) for name in others})

    def _kernels(self) -> list[Kernel]:
        check_is_fitted(self)
        fixed = ConstantKernel(1.0, constant_value_bounds="fixed") * RBF(1.0, length_scale_bounds="fixed")
        own = fixed if self.kernel is None else kernel_of(self.kernel)
        return [own.clone_with_theta(theta) for theta in self.theta_]

    @property
    def kernel_(self) -> Kernel:
        """The kernel with its chosen parameters."""
        kernels = self._kernels()
        return kernels[0] if len(kernels) == 1 else CompoundKernel(kernels)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _rebuilt(self) -> Process:
        """The processes with the chosen parameters; after loading, they are computed from the rows again."""
        kernels = self._kernels()
        process = self._peer(kernels[0], None).fit(self.X_train_, self.y_train_)
        for part, kernel in zip(_parts(process)[1:], kernels[1:], strict=True):  # the first has its own already
            part.kernel = kernel
            part.fit(part.X_train_, part.y_train_)
        return process

    def _fitted_process(self) -> Process:
        check_is_fitted(self)
        if not hasattr(self, "_process"):
            self._process = self._rebuilt()
        return self._process

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        check_is_fitted(self)
        return self.classes_[self._fitted_process().base_estimator_.predict(process_rows(self, X, reset=False))]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes; those of several are normalised."""
        check_is_fitted(self)
        if len(self.classes_) > 2 and self.multi_class == "one_vs_one":
            raise ValueError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode "
                "instead."
            )
        return self._fitted_process().base_estimator_.predict_proba(process_rows(self, X, reset=False))

    def latent_mean_and_variance(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the variance of the latent function of two classes."""
        check_is_fitted(self)
        return self._fitted_process().latent_mean_and_variance(process_rows(self, X, reset=False))

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The log-likelihood of the training labels for parameters ``theta``, by default the chosen ones."""
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        return self._fitted_process().log_marginal_likelihood(theta, eval_gradient, clone_kernel)


def _parts(process: Process) -> list[Any]:
    """The processes of two classes that a classifier consists of."""
    base = process.base_estimator_
    return list(base.estimators_) if hasattr(base, "estimators_") else [base]
