"""Unchanged scripts of scikit-learn's users run under the patch and score what they score without it."""

import runpy
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from probus.patch import patched_sklearn

pytestmark = pytest.mark.slow

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))
TOLERANCE = 0.06  # of scores between 0 and 1; forests and boosting draw other random numbers


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_script_runs_under_the_patch_and_scores_the_same(script):
    with threadpool_limits(1):  # scikit-learn's threads wait for each other on a busy machine
        plain = runpy.run_path(str(script))["scores"]
        with patched_sklearn():
            patched = runpy.run_path(str(script))["scores"]
    assert patched == pytest.approx(plain, abs=TOLERANCE)
