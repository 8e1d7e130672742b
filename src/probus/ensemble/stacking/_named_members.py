"""Named members: the parameters, checks and declarations that voting, stacking and blending share."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier, is_regressor
from sklearn.utils import Bunch, Tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf
from probus.base import Model, checked_numbers, checked_weights
from probus.data.row_selection import take_rows
from probus.display import listed
from probus.ensemble._inputs import validated_any_shape
from probus.ensemble._members import fit_member, parallel
from probus.ensemble.boosting._rows import validation_codes, validation_is_given
from probus.errors import DataError, ModelFileError
from probus.parameters import N_JOBS, attribute, parameter
from probus.sklearn_seam import BaseComposition, VisualBlock
from probus.state import Many, Object, Spec
from probus.wrapping import must_take_weights, routing_enabled, stops_early, validation_parameters

_LINE = 70  # characters, as in scikit-learn


class NamedMembers(TransformerMixin, BaseComposition, Model):
    """Parent of ensembles of different models, given as ``estimators``: a list of names and models, or "drop".

    Classifiers are fitted on the positions of the labels among ``classes_``, as in scikit-learn.
    """

    estimators: list[tuple[str, Any]] = parameter(
        'Names and models: ``[("tree", DecisionTreeClassifier())]``. ``set_params(name="drop")`` leaves one out.',
        of=[InstanceOf(list)],
        kw_only=False,
    )
    n_jobs: int | None = N_JOBS

    estimators_: list[Any] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"estimators_": Many(Object(BaseEstimator), "m")}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def named_estimators(self) -> Bunch:
        """The unfitted models by name."""
        return Bunch(**dict(self.estimators))

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted models by name; "drop" for those that are dropped."""
        check_is_fitted(self)
        fitted_models = iter(self.estimators_)
        return Bunch(**{name: model if _dropped(model) else next(fitted_models) for name, model in self.estimators})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; those of the members as ``name__parameter``."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Any:
        """Set parameters, members by name (``"drop"`` leaves one out), or theirs as ``name__parameter``."""
        self._set_params("estimators", **params)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Parameters of ``fit`` are routed to the members that request them."""
        router, to_fit = MetadataRouter(owner=self), MethodMapping().add(caller="fit", callee="fit")
        for name, model in self._active_members():
            router.add(method_mapping=to_fit, **{name: model})
        return router

    def _sk_visual_block_(self) -> VisualBlock:
        names, models = zip(*self.estimators, strict=True)
        return VisualBlock("parallel", models, names=names)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless fitted_models is one fitted member for each listed, with the same columns."""
        if len(self._active_members()) != len(self.estimators_):
            raise ModelFileError(f"{len(self.estimators_)} fitted members.", f"{len(self._active_members())}")
        for member in self.estimators_:
            if getattr(member, "n_features_in_", self.n_features_in_) != self.n_features_in_:
                raise ModelFileError(f"a member of {member.n_features_in_} columns.", f"{self.n_features_in_}")

    # -- steps of fit ----------------------------------------------------------------------------------

    def _listed_models(self) -> list[Any]:
        """The listed models, also where the list is not valid."""
        pairs = self.estimators if isinstance(self.estimators, list) else []
        return [pair[1] for pair in pairs if _is_pair(pair) and hasattr(pair[1], "fit")]

    def _active_members(self) -> list[tuple[str, Any]]:
        """Names and models that are not dropped."""
        return [(name, model) for name, model in self.estimators if not _dropped(model)]

    def _check_members(self, *, same_kind: bool = True) -> None:
        """Raise unless the members are named models, of the ensemble's kind if ``same_kind``."""
        pairs = self.estimators
        if not pairs or not all(_is_pair(pair) for pair in pairs):
            raise DataError(
                "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (string, estimator) "
                f"tuples: found {pairs!r:.60}.",
                "for example [('tree', DecisionTreeClassifier()), ('bayes', NaiveBayes())]",
            )
        self._validate_names([name for name, _ in pairs])
        if not self._active_members():
            raise DataError("All estimators are dropped. At least one is required to be an estimator.")
        kind, fits = ("classifier", is_classifier) if is_classifier(self) else ("regressor", is_regressor)
        for name, model in self._active_members():
            if not hasattr(model, "fit") or (same_kind and not fits(model)):
                raise DataError(
                    f"The estimator {type(model).__name__} should be a {kind}; {name!r} is not.", f"a {kind}"
                )

    def _pass_to_members(self, weights: np.ndarray | None, **others: Any) -> dict[str, dict[str, Any]]:
        """The parameters of each member's ``fit``: weights, or what it requests by metadata routing."""
        named, given = dict(self._active_members()), _not_none({"sample_weight": weights, **others})
        if routing_enabled():
            shares = process_routing(self, "fit", **given)
            return {name: shares[name]["fit"] for name in named}
        if weights is not None:
            must_take_weights(named.values())
        return dict.fromkeys(named, _not_none({"sample_weight": weights}))

    @property
    def inner_models(self) -> list[Any]:
        """The members that are fitted, which get the validation rows if they stop early."""
        return [] if isinstance(getattr(self, "cv", None), str) else self._listed_models()  # cv="prefit"

    def _validation(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> dict[str, Any]:
        """The validation rows as members take them; an error unless a member stops early on them."""
        if not validation_is_given(X, y, sample_weight):
            return {}
        if isinstance(classes, list) or not any(stops_early(model) for _, model in self._active_members()):
            names = listed(type(model).__name__ for _, model in self._active_members())
            raise DataError(
                f"X_val and y_val for members of which none stops early: {names}.",
                "a member that stops early, with X_val or eval_set in its fit, and one label for each row",
                "Leave out X_val and y_val.",
            )
        X = validated_any_shape(self, X, reset=False)
        target = checked_numbers(y, X.shape[0]) if classes is None else validation_codes(y, X.shape[0], classes)
        weights = checked_weights(sample_weight, target)
        return _not_none({"X_val": X, "y_val": target, "sample_weight_val": weights})

    def _fit_members_on(
        self,
        X: Any,
        y: np.ndarray,
        given: dict[str, dict[str, Any]],
        validation: Mapping[str, Any] = MappingProxyType({}),
        source: str | None = None,
    ) -> list[Any]:
        """Each member fitted on these rows; the time is printed with the name of its source if it is given."""
        members, fit = self._active_members(), delayed(_fit_timed)
        order = (f"({i} of {len(members)}) Processing {name}" for i, (name, _) in enumerate(members, 1))
        jobs = (
            fit(source, source and message, clone(model), X, y, given[name], validation)
            for message, (name, model) in zip(order, members, strict=True)
        )
        return list(parallel([model for _, model in members], self.n_jobs)(jobs))


def _fit_timed(
    source: str | None,
    message: str | None,
    member: Any,
    X: Any,
    y: np.ndarray,
    given: dict[str, Any],
    validation: Mapping[str, Any],
) -> Any:
    start = perf_counter()
    fitted = fit_member(member, X, y, **given, validation=validation_for(member, validation, y))
    if message is not None:
        seconds = perf_counter() - start
        end = f" {message}, total={f'{seconds / 60:4.1f}min' if seconds > 60 else f'{seconds:6.1f}s'}"
        print(f"[{source}] ".ljust(_LINE - len(end), ".") + end)
    return fitted


def validation_for(member: Any, validation: Mapping[str, Any], y: np.ndarray) -> dict[str, Any]:
    """The validation rows as the ``fit`` of a member that stops early takes them; of classes that it is fitted on."""
    if not validation or not stops_early(member):
        return {}
    if is_classifier(member):  # a fold may lack a class
        known = np.flatnonzero(np.isin(validation["y_val"], y))
        validation = {name: take_rows(values, known) for name, values in validation.items()} if len(known) else {}
    return validation_parameters(member, validation)


def _not_none(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], str)


def _dropped(model: Any) -> bool:
    return isinstance(model, str) and model == "drop"
