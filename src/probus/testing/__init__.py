"""The conformance suite: whether an estimator keeps the contract, check by check.

``check(Estimator)`` runs scikit-learn's own estimator checks and the behaviours that Probus promises
(``probus.testing.behaviours``), those that the estimator's ``Accepts`` calls for. ``estimators`` finds every estimator
of Probus; ``checks_for`` gives the checks one by one, for a test runner.
"""

from probus.borrowing import listing
from probus.testing._conformance import Conformance, Outcome
from probus.testing._suite import check, checks_for, estimators

__all__ = ["Conformance", "Outcome", "check", "checks_for", "estimators"]

__dir__ = listing(globals())
