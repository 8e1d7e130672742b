"""``python -m probus`` as a process of its own: exit codes, imports, and the kernels that ``warmup`` compiles."""

import os
import subprocess
import sys

import pytest

import probus


def process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_the_module_is_the_command_line_and_exit_codes_reach_the_shell():
    good, bad = process("-m", "probus", "--version"), process("-m", "probus", "datasets", "nope")
    assert (good.returncode, good.stdout) == (0, f"probus {probus.__version__}\n")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("probus: no data set 'nope'.")


def test_help_imports_nothing_heavy():
    script = (
        "import sys, probus.cli\n"
        "try: probus.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'sklearn', 'scipy', 'polars', 'matplotlib', 'numpy', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = process("-c", script)
    assert done.returncode == 0, done.stderr


WARMED = """
from probus.cli import main
from probus.cli._kernels import all_kernels

try:
    main(["warmup"])
except SystemExit:
    pass
kernels = all_kernels()
warm = [kernel for kernel in kernels.values() if kernel.signatures]
reached = set(map(id, warm))
while warm:  # what is loaded from the cache contains its parts, which then have no signature of their own
    function = warm.pop().py_func
    parts = [function.__globals__.get(name) for name in function.__code__.co_names]
    parts = [part for part in parts if hasattr(part, "py_func") and id(part) not in reached]
    reached |= set(map(id, parts))
    warm += parts
cold = [name for name, kernel in kernels.items() if id(kernel) not in reached]
assert not cold, cold
"""


@pytest.mark.slow
def test_warmup_compiles_every_kernel():
    done = process("-c", WARMED)
    assert done.returncode == 0, done.stderr
    assert "kernels ready" in done.stdout
