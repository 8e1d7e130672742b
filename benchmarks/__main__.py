"""``python -m benchmarks [module …] [--write]``: run the contests and print the table, or write it.

With modules, ``--write`` replaces the rows of their contests and keeps those of others.
"""

from __future__ import annotations

import importlib
import platform
import re
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import joblib

from benchmarks.measure import Row

MODULES = (
    "reading",
    "naive_bayes",
    "one_row",
    "resampling",
    "bootstrap",
    "trees",
    "forests",
    "boosting",
    "shapley",
    "glass_box",
    "importance",
    "neighbours",
    "linear",
    "regression",
    "svm",
    "descent",
    "graphs",
    "selection",
    "association",
    "recommend",
    "anomaly",
    "cluster",
    "decomposition",
    "networks",
)
PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "polars", "gower", "lightgbm", "xgboost", "catboost")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main(arguments: list[str]) -> None:
    if "--help" in arguments:
        print(__doc__, "Modules: " + ", ".join(MODULES), sep="\n")
        return
    warnings.simplefilter("ignore")
    chosen = [name for name in arguments if not name.startswith("-")]
    modules = chosen or list(MODULES)
    rows = []
    for module in modules:
        for contest in importlib.import_module(f"benchmarks.{module}").contests():
            rows.append(contest.run())
            print(as_line(rows[-1]), flush=True)
    if "--write" in arguments:
        lines = [as_line(row) for row in rows]
        text = PAGE.read_text()
        PAGE.write_text(page(text, merged(lines_of(text), lines) if chosen else lines, machine()))


def as_line(row: Row) -> str:
    mark = "" if row.ratio >= row.goal else "  (goal missed)"
    return (
        f"| {row.what} | {seconds(row.ours)} | {row.peer} {seconds(row.theirs)} | "
        f"**{row.ratio:.2f} ×** | {row.goal:.3g} ×{mark} | {row.quality} |"
    )


def seconds(value: float) -> str:
    if value >= 0.1:
        return f"{value:.2f} s"
    return f"{1e3 * value:.1f} ms" if value >= 1e-3 else f"{1e6 * value:.0f} µs"


def machine() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{joblib.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {versions}."


_TABLE = r"(\|---){6}\|\n((\|.*\n)+)"


def lines_of(text: str) -> list[str]:
    """The rows of the page's table."""
    found = re.search(_TABLE, text)
    return found[2].splitlines() if found else []


def merged(former: list[str], new: list[str]) -> list[str]:
    """The former rows, those of the same contests replaced, and the others of the new ones after them."""
    replaced = {contest_of(line): line for line in new}
    kept = [replaced.pop(contest_of(line), line) for line in former]
    return [*kept, *replaced.values()]


def contest_of(line: str) -> tuple[str, str]:
    """What a row compares, and with whom: its first cell, and its third without the time."""
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    return cells[0], re.sub(r"\s[\d.]+ (s|ms|µs)$", "", cells[2])


def page(text: str, lines: list[str], machine: str) -> str:
    """The page with these rows, and this machine, in place of its own; what is written beside them stays."""
    table = "|---|---|---|---|---|---|\n" + "".join(line + "\n" for line in lines)
    text = re.sub(_TABLE, lambda _: table, text, count=1)
    return re.sub(r"^\d+ cores, .*\.$", machine, text, count=1, flags=re.MULTILINE)


if __name__ == "__main__":
    main(sys.argv[1:])
