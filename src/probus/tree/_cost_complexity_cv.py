"""The price of a leaf chosen by cross-validation, as a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod, NoneAllowed, OneOf, SplitsValue
from probus.base import Accepts, Model, checked_numbers, checked_weights, encoded_classes
from probus.errors import DataError, ModelFileError
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.state import Array, Labels, Maybe, Number, Object, Size, Spec
from probus.tree._tree_model import TreeModel
from probus.tree._trees import Tree
from probus.tree.prune import impurity_risk, misclassification_risk, pruned, pruning_path
from probus.tree.prune._pruning_cv import Validation, grown, indexable
from probus.tree.prune._pruning_table import PruningTable, Rule, chosen_row

if TYPE_CHECKING:
    from probus.tree.export import Regions, Traces


_RISKS: dict[str, Callable[[Tree], np.ndarray]] = {
    "impurity": impurity_risk,
    "misclassification": misclassification_risk,
}

_LARGEST = 1e70  # target, whose fourth power is summed


def _of_tree(method: str) -> Callable[[Any], bool]:
    return lambda model: hasattr(model.grown_from(), method)


class CostComplexityCV(Model):
    r"""A decision tree pruned at the price of a leaf that cross-validation chooses (Breiman et al. 1984, section 3.4).

    One tree is grown on all rows and one in each fold; none is grown again. The trees that are best for some price
    :math:`\alpha_k` of a leaf follow from the first. The fold trees are pruned for them at the geometric midpoints
    :math:`\sqrt{\alpha_k \alpha_{k+1}}`, as in rpart. It is a classifier or a regressor as its estimator is.

    Attributes
    ----------
    alpha_, n_leaves_ : the price chosen and the leaves of its tree. At 0 splits that gain nothing are cut too.
    best_estimator_, tree_ : the fitted estimator with the pruned tree, and that tree.
    alphas_, path_leaves_ : the prices along the path, ascending, and the leaves of the trees that are best at them.
    train_risk_, cv_risk_, cv_se_ : their mean loss on all rows, in cross-validation, and the standard error of that.
    table_ : all of these as a table, which prints and plots itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> model = CostComplexityCV(random_state=0).fit(*load_iris(return_X_y=True))
    >>> model.n_leaves_
    4
    """

    estimator: Any = parameter(
        "A DecisionTreeClassifier (the default) or DecisionTreeRegressor of Probus; its ``ccp_alpha`` is chosen.",
        default=None,
        of=[HasMethod("fit", "predict"), NoneAllowed()],
        kw_only=False,
    )
    cv: Any = parameter(
        "Number of folds, shuffled, stratified for classes; or a splitter, or pairs of training and test rows.",
        default=10,
        of=[SplitsValue()],
    )
    rule: Rule = parameter(
        '"1se" takes the smallest tree within one standard error of the least risk, "min" the one of least risk.',
        default="1se",
        of=[OneOf("1se", "min")],
    )
    risk: str = parameter(
        'What pruning weighs against leaves: "impurity" as ``ccp_alpha`` does, or "misclassification" as rpart does.',
        default="impurity",
        one_of=("impurity", "misclassification"),
    )
    loss: str | None = parameter(
        'What cross-validation measures: "error" (the default) or "brier" for classes, "squared_error" (the '
        'default) or "absolute_error" for numbers.',
        default=None,
        one_of=("error", "brier", "squared_error", "absolute_error"),
    )
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "best_estimator_": Object(TreeModel),
        "alpha_": Number(),
        "n_leaves_": Size("L"),
        "alphas_": Array("f8", "A"),
        "path_leaves_": Array("i8", "A"),
        "train_risk_": Array("f8", "A"),
        "cv_risk_": Array("f8", "A"),
        "cv_se_": Array("f8", "A"),
        "classes_": Maybe(Labels("K")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One of each sort."""
        from probus.tree._cart import DecisionTreeClassifier, DecisionTreeRegressor

        return [cls(DecisionTreeClassifier(), cv=3), cls(DecisionTreeRegressor(), cv=3, rule="min")]

    @property
    def accepts(self) -> Accepts:
        """What its estimator takes."""
        return self.grown_from().accepts

    def __sklearn_tags__(self) -> Tags:
        tags, inside = super().__sklearn_tags__(), get_tags(self.grown_from())
        tags.estimator_type, tags.target_tags = inside.estimator_type, inside.target_tags
        tags.classifier_tags, tags.regressor_tags = inside.classifier_tags, inside.regressor_tags
        tags.target_tags.multi_output = False  # pruning is of one output
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def grown_from(self) -> Any:
        """The estimator that grows the trees."""
        if self.estimator is not None:
            return self.estimator
        from probus.tree._cart import DecisionTreeClassifier

        return DecisionTreeClassifier()

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CostComplexityCV:
        """Grow the tree and those of the folds, price them, and prune at the price that the rule takes."""
        grower = self._grower()
        full = grown(grower, X, y, sample_weight)
        rows = indexable(X)
        target = self._target(full, y, rows.shape[0])
        weights = checked_weights(sample_weight, target)
        risk_of = _RISKS[self.risk]
        path = pruning_path(full.tree_, risk_of(full.tree_))
        self.alphas_, self.path_leaves_ = path.alphas[path.steps], path.n_leaves[path.steps]
        validation = Validation(grower, rows, target, weights, getattr(self, "classes_", None), risk_of, self._loss)
        self.train_risk_ = validation.risks_of(full, self.alphas_)
        middles = np.append(np.sqrt(self.alphas_[:-1] * self.alphas_[1:]), np.inf)
        self.cv_risk_, self.cv_se_ = validation.risks(self._folds(target), middles, self.n_jobs)
        chosen = chosen_row(self.rule, self.cv_risk_, self.cv_se_)
        self.alpha_ = float(self.alphas_[chosen])
        full.tree_ = pruned(full.tree_, self.alpha_, risk_of(full.tree_))
        if self.risk == "impurity":
            full.set_params(ccp_alpha=self.alpha_)
        self.best_estimator_, self.n_leaves_ = full, full.tree_.n_leaves
        return self

    def _grower(self) -> Any:
        """The estimator without pruning of its own, seeded where it is not."""
        estimator = self.grown_from()
        if not isinstance(estimator, TreeModel) or not hasattr(estimator, "ccp_alpha"):
            raise DataError(
                f"estimator is a {type(estimator).__name__}.",
                "a DecisionTreeClassifier or DecisionTreeRegressor of Probus",
            )
        if getattr(estimator, "prune", None) is not None:
            raise DataError(f"estimator prunes itself: prune={estimator.prune!r}.", "prune=None")
        if self.risk == "misclassification" and not is_classifier(estimator):
            raise DataError("risk='misclassification' for a regressor.", "risk='impurity'")
        losses = ("error", "brier") if is_classifier(estimator) else ("squared_error", "absolute_error")
        if self._loss not in losses:
            raise DataError(f"loss={self._loss!r} for a {type(estimator).__name__}.", " or ".join(map(repr, losses)))
        grower = clone(estimator).set_params(ccp_alpha=0.0)
        if self.random_state is not None and getattr(grower, "random_state", 0) is None:
            grower.set_params(random_state=self.random_state)
        return grower

    @property
    def _loss(self) -> str:
        return self.loss or ("error" if is_classifier(self.grown_from()) else "squared_error")

    def _target(self, full: Any, y: Any, n_rows: int) -> np.ndarray:
        """The codes of the classes, or numbers; what describes the input is taken over from the full tree."""
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(full, name):
                setattr(self, name, getattr(full, name))
            elif hasattr(self, name):
                delattr(self, name)
        if is_classifier(full):
            return encoded_classes(y, n_rows)[1]
        target = checked_numbers(y, n_rows)
        largest = float(np.abs(target).max())
        if largest > 0.0 and not 1.0 / _LARGEST <= largest <= _LARGEST:
            raise DataError(
                f"a target as large as {largest:.3g}: the variance of its squared errors is not finite, or 0.",
                f"one between {1 / _LARGEST:.0e} and {_LARGEST:.0e}",
                "Divide y by a constant.",
            )
        return target

    def _folds(self, target: np.ndarray) -> list[tuple[Any, Any]]:
        rows = np.zeros(len(target))
        if not isinstance(self.cv, (int, np.integer)):
            return list(check_cv(self.cv).split(rows, target))
        if len(target) < 2:
            raise DataError("n_samples = 1.", "at least two rows: one to learn from, one to choose by")
        n_folds = min(int(self.cv), len(target))
        stratified = hasattr(self, "classes_") and np.bincount(target).max() >= n_folds
        splitter = (StratifiedKFold if stratified else KFold)(n_folds, shuffle=True, random_state=self.random_state)
        return list(splitter.split(rows, target))

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the price chosen is one of the path and the tree has as many columns."""
        if self.alpha_ not in self.alphas_ or self.best_estimator_.n_features_in_ != self.n_features_in_:
            raise ModelFileError("a tree that was not chosen from its path.", "one of its alphas, and its columns")

    # -- use -------------------------------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The pruned tree."""
        check_is_fitted(self)
        return self.best_estimator_.tree_

    @property
    def table_(self) -> PruningTable:
        """The trees along the path with their risks; see its ``plot``."""
        check_is_fitted(self)
        chosen = int(np.flatnonzero(self.alphas_ == self.alpha_)[0])
        return PruningTable(self.alphas_, self.path_leaves_, self.train_risk_, self.cv_risk_, self.cv_se_, chosen)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the splits of the pruned tree on each column lower the impurity, as shares of the whole."""
        check_is_fitted(self)
        return self.best_estimator_.feature_importances_

    def predict(self, X: Any) -> np.ndarray:
        """What the pruned tree predicts."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_of_tree("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of the classes in the leaf of each row."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    @available_if(_of_tree("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier, the R² of a regressor."""
        check_is_fitted(self)
        return self.best_estimator_.score(X, y, sample_weight)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row."""
        check_is_fitted(self)
        return self.best_estimator_.apply(X)

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix of rows × nodes that marks the nodes each row passes."""
        check_is_fitted(self)
        return self.best_estimator_.decision_path(X)

    def get_depth(self) -> int:
        """The number of splits on the longest path."""
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return self.tree_.n_leaves

    def trace(self, X: Any) -> Traces:
        """The splits on the path of each row, as text."""
        check_is_fitted(self)
        return self.best_estimator_.trace(X)

    def regions(self) -> Regions:
        """The pruned tree as a sum of constants on boxes of the input space."""
        check_is_fitted(self)
        return self.best_estimator_.regions()
