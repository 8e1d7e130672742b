"""A short run of the fuzzer: ``python -m research.fuzz_files`` is the long one."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_forged_files_of_every_estimator_are_refused_or_harmless():
    command = [sys.executable, "-m", "research.fuzz_files", "--mutations", "2000", "--examples", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures in 2,000 files" in done.stdout
    assert "refused" in done.stdout
    assert "loaded and used" in done.stdout
