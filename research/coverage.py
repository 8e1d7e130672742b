"""``python -m research.coverage [measure … | fresh] [--replications N]``: do 95 % intervals hold 95 times in 100?

Samples are drawn from populations whose score is known, one estimate is made of each, and the share of intervals that
hold the population's score is printed for three methods, at 50, 200 and 1,000 rows. At 1,000 replications the share
itself is known to about ±1.4 points. Where "auto" then lies outside 93 to 97, all three are measured again on three
times as many other samples, and that is printed instead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from probus.metrics import measure
from probus.metrics.bootstrap import estimate_outcome
from research.populations import CHOSEN_ON, FRESH, Population

SIZES = (50, 200, 1000)
METHODS = ("auto", "bca", "percentile")
RESAMPLES = 500


def coverage(of: Population, truth: float, n: int, method: str, samples: range) -> tuple[float, float]:
    """Per cent of intervals that hold the truth, and their median half-width; undefined samples are drawn again.

    Methods see the same samples, populations others: a row's luck is its own.
    """
    rng = np.random.default_rng([n, crc32(f"{of.metric}, {of.what}".encode()), samples.start])
    how: dict[str, Any] = {
        "method": method,
        "stratify": of.stratify,
        "groups": of.groups(n),
        "n_resamples": RESAMPLES,
        "n_jobs": 1,
    }
    held: list[bool] = []
    widths: list[float] = []
    while len(held) < len(samples):
        found = estimate_outcome(measure(of.metric), of.sample(rng, n), random_state=samples[len(held)], **how)
        if not np.isnan(found.value):
            held.append(truth in found)
            widths.append(found.half_width)
    return 100 * float(np.mean(held)), float(np.median(widths))


def measured(of: Population, truth: float, n: int, replications: int) -> tuple[list[float], float]:
    """The coverage of each method and the half-width of the first; measured again where that one is doubtful."""
    first, again = range(replications), range(replications, 4 * replications)
    found = [coverage(of, truth, n, method, first) for method in METHODS]
    if not _holds(found[0][0]):
        found = [coverage(of, truth, n, method, again) for method in METHODS]
    return [share for share, _ in found], found[0][1]


def lines(populations: Sequence[Population], replications: int) -> Iterator[str]:
    """The table of docs/evidence/intervals.md; what "auto" holds too rarely or too often is set in bold."""
    yield "| measure | population | fresh | auto: 50 · 200 · 1000 rows | BCa | percentile | half-width of auto |"
    yield "|---|---|---|---|---|---|---|"
    for each in populations:
        truth = each.truth()
        shares, widths = zip(*(measured(each, truth, n, replications) for n in SIZES), strict=True)
        auto, bca, percentile = zip(*shares, strict=True)
        cells = [
            each.metric,
            each.what,
            "yes" if each.fresh else "",
            " · ".join(f"{share:.1f}" if _holds(share) else f"**{share:.1f}**" for share in auto),
            " · ".join(f"{share:.1f}" for share in bca),
            " · ".join(f"{share:.1f}" for share in percentile),
            " · ".join(f"{width:.3f}" for width in widths),
        ]
        yield f"| {' | '.join(cells)} |"


def _holds(share: float) -> bool:
    return 93.0 <= round(share, 1) <= 97.0


def main(arguments: list[str]) -> None:
    replications = 1000
    if "--replications" in arguments:
        at = arguments.index("--replications")
        replications = int(arguments[at + 1])
        del arguments[at : at + 2]
    wanted = [
        each
        for each in (*CHOSEN_ON, *FRESH)
        if not arguments or each.metric in arguments or (each.fresh and "fresh" in arguments)
    ]
    for line in lines(wanted, replications):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
