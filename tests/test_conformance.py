"""Every estimator of Probus keeps the contract: scikit-learn's checks and ours, with no expected failures.

One test is one example of a class with one of the two suites. It runs all checks and reports each that fails, with its
name and traceback. Select estimators with ``-k`` and checks with ``--check``:
``pytest tests/test_conformance.py -k RandomForest --check pickle``.

Our checks run on every example of a class. So do those of scikit-learn that depend on the algorithm (``LEARNING``). Its
others test the interface, which the examples of a class share: they run on the first example and on each further one
that declares other tags, since scikit-learn chooses the checks and their data by the tags.
"""

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.utils import get_tags

from probus.testing import checks_for, estimators

LEARNING = (
    "class_weight_classifiers", "classifiers_one_label", "classifiers_train", "decision_proba_consistency",
    "estimators_dtypes", "fit2d_1feature", "fit2d_1sample", "fit_idempotent", "methods_sample_order_invariance",
    "methods_subset_invariance", "regressors_int", "regressors_train", "sample_weight_equivalence",
    "transformer_general",
)  # fmt: skip


def planned():
    """The tests: an estimator, the name of a suite, and whether it is the first of its class and of its tags."""
    for cls in estimators():
        seen = []
        for example in cls.examples():
            tags = get_tags(example)
            for suite in ("ours", "scikit-learn"):
                yield example, suite, not seen, tags not in seen
            seen.append(tags)


def checks_of(example, suite, new_tags):
    """The names and functions of the checks that a test runs."""
    for name, run in checks_for(example):
        borrowed = name.startswith("sklearn-")
        learning = name.removeprefix("sklearn-check_").startswith(LEARNING)
        if borrowed == (suite == "scikit-learn") and (not borrowed or new_tags or learning):
            yield name, run


def case(example, suite, first, new_tags):
    """One test; ``make check`` runs ours on one example of each class that is no model of models."""
    of_models = {"candidates", "estimator", "estimators", "model"} & set(example.get_params(deep=False))
    marks = () if first and suite == "ours" and not of_models else pytest.mark.slow
    return pytest.param(example, suite, new_tags, id=f"{' '.join(repr(example).split())}-{suite}", marks=marks)


@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings; those that matter are asserted
@pytest.mark.parametrize(("example", "suite", "new_tags"), [case(*test) for test in planned()])
def test_estimator(example, suite, new_tags, subtests, pytestconfig):
    for name, run in checks_of(example, suite, new_tags):
        if pytestconfig.getoption("--check") in name:
            np.random.seed(0)  # noqa: NPY002 — each check starts from the same state, alone or among others
            try:
                run()
            except (Exception, SkipTest):
                with subtests.test(name):  # only what did not pass: reporting 8,000 passed checks takes seconds
                    raise


def test_no_estimator_and_no_check_is_lost():
    """Floors: raise them when packages are added; fewer means that discovery or a declaration is broken."""
    names = [name for example, suite, _, new_tags in planned() for name, _ in checks_of(example, suite, new_tags)]
    assert len(estimators()) >= 101
    assert len([name for name in names if not name.startswith("sklearn-")]) >= 7000  # ours: on every example
    assert len([name for name in names if name.startswith("sklearn-")]) >= 7200  # scikit-learn's: by the rule above
