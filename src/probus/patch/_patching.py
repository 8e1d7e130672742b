"""Put our names into scikit-learn's modules, and take them out again."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from probus.errors import DataError
from probus.patch._replacements import replacements
from probus.sklearn_seam import PARTIAL_DEPENDENCE, REPLACED


def patch_sklearn(names: Sequence[str] | None = None) -> None:
    """Let scikit-learn's modules offer our estimators under its names, for every import that follows.

    A name that a module has imported already stays scikit-learn's there; a warning lists them. Patching twice does
    nothing more. ``python -m probus.patch --list`` prints what is replaced.

    Parameters
    ----------
    names : names to replace, such as ``["RandomForestClassifier"]``; all of them where None.

    >>> patch_sklearn(["GaussianNB"])
    >>> import sklearn.naive_bayes
    >>> sklearn.naive_bayes.GaussianNB
    <class 'probus.naive_bayes...GaussianNB'>
    >>> unpatch_sklearn()
    >>> sklearn.naive_bayes.GaussianNB
    <class 'sklearn.naive_bayes.GaussianNB'>
    """
    _warn_of_early_imports(_replace(names))


def unpatch_sklearn() -> None:
    """Give scikit-learn's modules all of their own names back."""
    _restore(list(REPLACED))


@contextmanager
def patched_sklearn(names: Sequence[str] | None = None) -> Iterator[None]:
    """``patch_sklearn`` within a ``with`` block; what was patched before it stays patched after it.

    Parameters
    ----------
    names : as in ``patch_sklearn``.

    Returns
    -------
    A context manager, for ``with``.

    >>> with patched_sklearn():
    ...     from sklearn.naive_bayes import GaussianNB
    >>> GaussianNB
    <class 'probus.naive_bayes...GaussianNB'>
    """
    replaced = _replace(names)
    try:
        yield
    finally:
        _restore(replaced)


def _replace(names: Sequence[str] | None) -> list[tuple[str, str]]:
    """Replace what is not replaced yet; which names that were."""
    known, checks = replacements(), type_checks()
    unknown = sorted(set(names or ()) - {name for _, name in known})
    if unknown:
        raise DataError(
            f"patch_sklearn cannot replace {', '.join(map(repr, unknown))}.",
            f"some of {', '.join(sorted({name for _, name in known}))}",
        )
    chosen = {place: thing for place, thing in known.items() if names is None or place[1] in names} | checks
    new = [place for place in chosen if place not in REPLACED]
    for module, name in new:
        REPLACED[module, name] = getattr(sys.modules[module], name)
        setattr(sys.modules[module], name, chosen[module, name])
    return new


def _restore(places: list[tuple[str, str]]) -> None:
    for module, name in places:
        if (module, name) in REPLACED:
            setattr(sys.modules[module], name, REPLACED.pop((module, name)))


def _warn_of_early_imports(places: list[tuple[str, str]]) -> None:
    """Name the modules outside scikit-learn that hold a class from before it was replaced."""
    theirs = {id(REPLACED[place]) for place in places}
    held = [
        f"{module}.{name}"
        for module, loaded in sorted(sys.modules.items())
        if module.partition(".")[0] not in ("sklearn", "probus")
        for name, thing in list(getattr(loaded, "__dict__", {}).items())
        if id(thing) in theirs
    ]
    if held:
        some = ", ".join(held[:5]) + (f", … ({len(held)} in all)" if len(held) > 5 else "")
        warnings.warn(
            f"Imported before patch_sklearn() and still scikit-learn's: {some}. Call patch_sklearn() first.",
            stacklevel=3,
        )


# -- models of ours in scikit-learn's ``partial_dependence(method="recursion")``, which tests for its own classes


def type_checks() -> dict[tuple[str, str], type]:
    """What takes the place of the classes that the module tests for: theirs, and ours of numeric columns."""
    from probus.ensemble import (
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestRegressor,
    )

    theirs = import_module(PARTIAL_DEPENDENCE)
    hist = HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestRegressor
    return {
        (PARTIAL_DEPENDENCE, "BaseGradientBoosting"): _either(
            theirs.BaseGradientBoosting, (GradientBoostingClassifier, GradientBoostingRegressor)
        ),
        (PARTIAL_DEPENDENCE, "BaseHistGradientBoosting"): _either(theirs.BaseHistGradientBoosting, hist),
    }


def _either(theirs: type, ours: tuple[type, ...]) -> type:
    """A class whose instances are those of theirs, and those of ours that were fitted on numbers."""

    class Either(type):
        def __instancecheck__(cls, model: Any) -> bool:
            own = isinstance(model, ours)
            return not model.trees_.n_levels.any() if own else isinstance(model, theirs)

    return Either(theirs.__name__, (), {})
