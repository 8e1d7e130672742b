"""The multi-layer perceptron for classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target, unique_labels

from probus.base import MultiLabelMixin, encoded_classes, target_array
from probus.data import Column
from probus.errors import DataError
from probus.neural_network._mlp import MultilayerPerceptron
from probus.neural_network._targets import NetworkClassifier
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Flag, Spec


class MLPClassifier(MultiLabelMixin, MultilayerPerceptron, NetworkClassifier):
    """A multi-layer perceptron that predicts classes, or several labels of a row.

    Layers of units, each a function of a weighted sum of the units before it. Weights minimise the log loss, by steps
    against its gradient. Columns should share a scale, which ``probus.tabular`` sees to.

    Attributes
    ----------
    coefs_, intercepts_ : the weights and biases of each layer.
    history_ : the loss and the validation score of each epoch.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> net = MLPClassifier((8,), learning_rate_init=0.05, random_state=0).fit(X, y)
    >>> net.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **MultilayerPerceptron.fitted,
        **NetworkClassifier.fitted,
        "multilabel_": Flag(),
    }

    @available_if(MultilayerPerceptron._check_solver)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> MLPClassifier:
        """One epoch over a batch of rows; the first call must pass all ``classes``.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.
        classes : the classes of all batches.

        Returns
        -------
        The model.
        """
        if check_partial_fit_first_call(self, classes):
            self.multilabel_ = type_of_target(y).startswith("multilabel")
        return self._partial_fit(X, y, sample_weight)

    def _probabilities(self, X: Any) -> np.ndarray:
        outputs = self._outputs(X)
        return outputs if self.multilabel_ or self.out_activation_ == "softmax" else np.hstack([1.0 - outputs, outputs])

    def predict(self, X: Any) -> np.ndarray:
        """See ``NetworkClassifier``."""
        probabilities = self.predict_proba(X)
        if self.multilabel_:
            return (probabilities > 0.5).astype(np.int64)
        return self.classes_[probabilities.argmax(axis=1)]

    # -- fitting ---------------------------------------------------------------------------------------

    def _targets(self, y: Any, n_rows: int, *, first: bool, incremental: bool) -> np.ndarray:
        if not isinstance(y, Column) and y is not None and not issparse(y):
            y = target_array(y)
        multilabel = _is_multilabel(y)
        found, codes = _indicators(y, n_rows) if multilabel else encoded_classes(y, n_rows)
        if first and not incremental:
            self.classes_, self.multilabel_ = found, multilabel
        self._check_classes(y, found, multilabel, incremental)
        if multilabel:
            return codes
        codes = np.searchsorted(self.classes_, found)[codes]
        if len(self.classes_) == 2:
            return codes[:, None] == 1
        return codes[:, None] == np.arange(len(self.classes_))

    def _check_classes(self, y: Any, found: np.ndarray, multilabel: bool, incremental: bool) -> None:
        if multilabel != self.multilabel_:
            raise DataError("targets of one label in one fit, and of several in another.", "the same in all")
        if self.warm_start and set(found.tolist()) != set(self.classes_.tolist()) and not incremental:
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously "
                f"got {self.classes_}, `y` has {unique_labels(y)}"
            )
        if len(np.setdiff1d(found, self.classes_)):
            raise ValueError(
                f"`y` has classes not in `self.classes_`. `self.classes_` has {self.classes_}. 'y' has {found}."
            )

    def _output(self) -> str:
        return "logistic" if self.multilabel_ or len(self.classes_) == 2 else "softmax"

    def _smoothed(self, y: np.ndarray) -> np.ndarray:
        share = float(self.label_smoothing)
        if not share:
            return y
        return y * (1.0 - share) + share / (y.shape[1] if self.out_activation_ == "softmax" else 2)

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        if self.multilabel_:
            return None
        if self.out_activation_ == "logistic":
            return self.classes_[y[:, 0].astype(np.intp)]
        codes = y.argmax(axis=1)  # a rare one of several classes cannot be in both parts
        return codes if np.bincount(codes).min() * self.validation_fraction >= 1.0 else None

    def _score_of(self, outputs: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
        """The accuracy; of several labels, the share of rows with all labels right."""
        if not np.isfinite(outputs).all():
            return np.nan
        if self.out_activation_ == "logistic":
            right = ((outputs > 0.5) == y).all(axis=1)
        else:
            right = outputs.argmax(axis=1) == y.argmax(axis=1)
        return float(np.average(right, weights=weight))


def _is_multilabel(y: Any) -> bool:
    return getattr(y, "ndim", 1) == 2 and type_of_target(y, input_name="y").startswith("multilabel")


def _indicators(y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels, and which of them each row has."""
    found = y.toarray() if issparse(y) else y
    if len(found) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {len(found)}.",
            "one y per row",
        )
    return np.arange(found.shape[1]), found > 0
