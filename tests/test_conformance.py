"""Every estimator of Probus keeps the contract: scikit-learn's checks and ours, with no expected failures."""

import pytest

from probus.testing import checks_for, estimators

INSTANCES = [instance for cls in estimators() for instance in cls.examples()]
CHECKS = [(instance, name, run) for instance in INSTANCES for name, run in checks_for(instance)]
FIRST = {type(instance): instance for instance in reversed(INSTANCES)}


def case(model, name, run):
    """A check; the inner loop makes ours on one of each class."""
    inner_loop = FIRST[type(model)] is model and not name.startswith("sklearn-")
    marks = () if inner_loop else pytest.mark.slow
    return pytest.param(run, id=f"{' '.join(repr(model).split())}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore")  # the checks feed it what deserves warnings; those that matter they look for
@pytest.mark.parametrize("run", [case(*check) for check in CHECKS])
def test_estimator(run):
    run()


def test_no_estimator_and_no_check_is_lost():
    """Floors: raise them when rooms are added; fewer means that discovery or a declaration is broken."""
    assert len(estimators()) >= 50
    assert len(CHECKS) >= 9790
    assert len([name for _, name, _ in CHECKS if not name.startswith("sklearn-")]) >= 4225
