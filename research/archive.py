"""``python -m research.archive [evaluations]``: the milliseconds that an archive adds to an evaluation.

A claim and its result, in a file, as a search writes them: at the beginning, and when the archive has many evaluations.
Goals: at most 2 ms each, also after 100,000; reading all of them back takes seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from probus.tuning import Archive, Evaluation
from probus.tuning._archive_run import opened_run

HEADER = {"version": "0", "scoring": ["roc_auc"], "greater_is_better": True, "model": "none"}


def seconds_each(run, first: int, n: int) -> float:
    """The median seconds of claiming and finishing one evaluation."""
    rng, spent = np.random.default_rng(first), []
    for number in range(first, first + n):
        config = {name: float(value) for name, value in zip("abcdefgh", rng.random(8), strict=True)}
        scores = {name: tuple(rng.random(5)) for name in ("roc_auc", "accuracy", "log_loss")}
        started = time.perf_counter()
        run.claim(number, config, seed=1)
        run.finish(Evaluation(number, config, scores=scores, fit_seconds=(0.1,) * 5, score_seconds=(0.1,) * 5))
        spent.append(time.perf_counter() - started)
    return float(np.median(spent))


def main(arguments: list[str]) -> None:
    n = int(arguments[0]) if arguments else 100_000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "archive.db"
        run = opened_run(file, "tuning", HEADER)
        print(f"first 1,000: {1e3 * seconds_each(run, 0, 1000):.3f} ms each")
        seconds_each(run, 1000, n - 2000)
        print(f"last 1,000 of {n:,}: {1e3 * seconds_each(run, n - 1000, 1000):.3f} ms each")
        started = time.perf_counter()
        run.look(list(range(n - 10, n)))
        print(f"looking at 10: {1e3 * (time.perf_counter() - started):.3f} ms")
        run.close()
        started = time.perf_counter()
        archive = Archive.read(file)
        print(f"reading all: {time.perf_counter() - started:.1f} s, {file.stat().st_size / 1e6:.0f} MB")
        started = time.perf_counter()
        text, frame = repr(archive), archive.to_frame()
        print(f"displaying and framing: {time.perf_counter() - started:.1f} s, {len(text)} letters, {len(frame)} rows")


if __name__ == "__main__":
    main(sys.argv[1:])
