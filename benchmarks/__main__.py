"""``python -m benchmarks [module …] [--write]``: run the contests and print, or write, the table."""

from __future__ import annotations

import importlib
import platform
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
    "neighbours",
    "linear",
    "regression",
    "svm",
    "descent",
    "graphs",
    "association",
    "anomaly",
    "cluster",
    "decomposition",
)
PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "polars", "gower", "lightgbm", "xgboost", "catboost")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


NOTES = (
    "The adult lines need all of UCI's rows (`PROBUS_BENCH_DATA`); without them the bundled 8,000 are used. `resample`",
    "adds 0.3 to 1.4 ms to a split, visible if a fit takes less than 10 ms. A first fit of a tree compiles for",
    "10 s (18 s with nominal columns) unless `probus warmup` was run; afterwards it starts in about 0.4 s.",
)


def main(arguments: list[str]) -> None:
    if "--help" in arguments:
        print(__doc__, "Modules: " + ", ".join(MODULES), sep="\n")
        return
    warnings.simplefilter("ignore")
    modules = [name for name in arguments if not name.startswith("-")] or list(MODULES)
    rows = []
    for module in modules:
        for contest in importlib.import_module(f"benchmarks.{module}").contests():
            rows.append(contest.run())
            print(as_line(rows[-1]), flush=True)
    if "--write" in arguments:
        PAGE.write_text(page(rows))


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


def page(rows: list[Row]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "`make bench` runs these on your machine: both libraries on equal data in the same process, alternating,",
            "the minimum of several rounds each, with the quality of both results. The last run, with missed goals:",
            "",
            "| what | Probus | peer | faster | goal | answers |",
            "|---|---|---|---|---|---|",
            *(as_line(row) for row in rows),
            "",
            *NOTES,
            "",
            f"{joblib.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {versions}.",
            "",
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
