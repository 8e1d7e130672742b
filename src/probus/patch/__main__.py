"""``python -m probus.patch script.py``: run a script with our estimators in the place of scikit-learn's."""

from __future__ import annotations

import os
import runpy
import sys
from argparse import REMAINDER, ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from probus.patch._patching import patch_sklearn
from probus.patch._replacements import rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a script or a module under the patch, or list what the patch replaces."""
    parser = ArgumentParser("python -m probus.patch", description="Run a script with Probus in place of scikit-learn.")
    parser.add_argument("--list", action="store_true", help="print what is replaced and what is left alone")
    parser.add_argument("-m", dest="module", action="store_true", help="run a module instead of a script")
    parser.add_argument("script", nargs="?", help="the script or, after -m, the module")
    parser.add_argument("arguments", nargs=REMAINDER, help="passed to the script")
    chosen = parser.parse_args(arguments)
    if chosen.list:
        try:
            print(table(), flush=True)
        except BrokenPipeError:  # the reader, such as head, has read enough
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115  flushed at exit
    elif chosen.script is None:
        parser.error("pass a script, -m and a module, or --list")
    else:
        patch_sklearn()
        sys.argv = [chosen.script, *chosen.arguments]
        if chosen.module:
            runpy.run_module(chosen.script, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = str(Path(chosen.script).resolve().parent)
            runpy.run_path(chosen.script, run_name="__main__")


def table() -> str:
    """What is replaced by what, and what is left alone and why."""
    cells = [("name", "replaced by", "why"), *rows()]
    widths = [max(len(row[column]) for row in cells) for column in range(2)]
    return "\n".join(f"{name:{widths[0]}}  {by:{widths[1]}}  {why}".rstrip() for name, by, why in cells)


if __name__ == "__main__":
    main()
