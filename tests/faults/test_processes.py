"""Models under threads and after a fork."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from probus.dummy import OneRClassifier
from probus.ensemble import RandomForestClassifier
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier
from probus.tree import DecisionTreeClassifier

pytestmark = pytest.mark.slow

MODELS = [OneRClassifier(), GaussianNB(), KNeighborsClassifier(), DecisionTreeClassifier(random_state=0)]


def fitted(model, seed):
    """The predictions of a clone fitted to rows of its own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    return type(model)(**model.get_params()).fit(X, y).predict(X).tolist()


def test_threads_that_fit_at_once_get_what_one_after_the_other_gets():
    jobs = [(model, seed) for seed in range(6) for model in MODELS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: fitted(*job), jobs)) == [fitted(*job) for job in jobs]


FIRST = """
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from probus.dummy import OneRClassifier
from probus.naive_bayes import GaussianNB

X = np.random.default_rng(0).normal(size=(80, 3))
y = np.where(X[:, 0] > 0, "yes", "no")
with ThreadPoolExecutor(6) as pool:
    found = list(pool.map(lambda i: (OneRClassifier, GaussianNB)[i % 2]().fit(X, y).score(X, y), range(6)))
print(min(found))
"""


def test_threads_may_compile_at_once(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_process_forked_after_threads_fits_the_same():
    forest = RandomForestClassifier(5, random_state=0, n_jobs=2)
    expected = [fitted(model, 0) for model in (*MODELS, forest)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda seed: fitted(forest, seed), range(4)))
        with get_context("fork").Pool(2) as processes:
            results = [processes.apply_async(fitted, (model, 0)) for model in (*MODELS, forest)]
            assert [result.get(timeout=120) for result in results] == expected
