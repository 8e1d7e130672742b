"""The checks of an estimator: scikit-learn's, and ours as its declaration calls for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import SkipTest

from probus.base import Model
from probus.persistence import estimators_of, public_modules
from probus.testing._conformance import Conformance, Outcome
from probus.testing._specimen import Specimen
from probus.testing.behaviours import BEHAVIOURS


def estimators() -> list[type[Model]]:
    """Every estimator of Probus for rows, found among the public names of its modules.

    Recommenders are not among them: they are fitted on ratings, and have tests of their own.

    Returns
    -------
    The classes.

    >>> from probus.dummy import ZeroRClassifier
    >>> ZeroRClassifier in estimators()
    True
    """
    found = (cls for module in public_modules() for cls in estimators_of(module).values())
    return [cls for cls in found if issubclass(cls, Model) and cls.verbs is None]


def checks_for(estimator: Model) -> Iterator[tuple[str, Callable[[], None]]]:
    """The checks of an estimator, each a name and a function that raises where the contract is broken.

    A check that cannot run here raises ``unittest.SkipTest`` with its reason.

    Parameters
    ----------
    estimator : an instance of the estimator.

    Returns
    -------
    The checks, one after the other.
    """
    yield from _checks_of_scikit_learn(estimator)
    specimen = Specimen(estimator)
    for behaviour in BEHAVIOURS:
        if behaviour.when(specimen):
            yield behaviour.name, partial(behaviour.run, specimen)


def check(estimator: Model | type[Model], *, raise_: bool = True) -> Conformance:
    """Run every check on an estimator, or on the examples of a class, and report the outcome of each.

    Parameters
    ----------
    estimator : an instance, or a class, whose ``examples()`` are then checked
    raise_ : whether a failed check is an ``AssertionError``, whose message lists all of them

    Returns
    -------
    The outcome of each check.

    >>> from probus.dummy import ZeroRClassifier
    >>> conformance = check(ZeroRClassifier)
    >>> len(conformance) > 50, conformance.failures
    (True, ())
    """
    instances: list[Any] = estimator.examples() if isinstance(estimator, type) else [estimator]
    conformance = Conformance(
        tuple(_outcome(repr(instance), name, run) for instance in instances for name, run in checks_for(instance))
    )
    if raise_ and conformance.failures:
        raise AssertionError(repr(conformance))
    return conformance


def _outcome(estimator: str, name: str, run: Callable[[], None]) -> Outcome:
    try:
        run()
    except SkipTest as reason:
        return Outcome(estimator, name, "skipped", str(reason))
    except Exception as error:  # whatever breaks the contract is an outcome
        return Outcome(estimator, name, "failed", f"{type(error).__name__}: {error}")
    return Outcome(estimator, name, "passed")


def _checks_of_scikit_learn(estimator: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    from sklearn.utils.estimator_checks import estimator_checks_generator

    excused = getattr(estimator, "excused", {})
    for instance, run in estimator_checks_generator(estimator):
        if run.func.__name__ in excused:
            continue
        settings = [f"{key}={value}" for key, value in run.keywords.items()]
        yield "-".join(["sklearn", run.func.__name__, *settings]), partial(run, instance)
