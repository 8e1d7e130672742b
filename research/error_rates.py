"""``python -m research.error_rates [measure …] [--replications N]``: how many true hypotheses are rejected?

Test sets are drawn from populations in which two different models have equal scores, and compared by
``bootstrap_difference`` at 5 %. No part of that test was chosen on these populations. At 400 replications a true 5 %
shows as 2.9 to 7.1; where more than 6 are found, they are counted again on 1,200 other test sets, which are printed
instead (a true 5 % as 3.8 to 6.2).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from probus.comparison._bootstrap_rows import outcome_difference
from probus.errors import DataError
from probus.metrics import measure
from research.equal_pairs import EqualPair, fresh

SIZES = (50, 100, 200, 1000)
RESAMPLES = 500


def rejected(of: EqualPair, n: int, replications: int, **how: Any) -> float:
    """Per cent of test sets on which the two models are found to differ; counted again where these are many."""
    first = _rejected(of, n, range(replications), **how)
    return first if first <= 6 else _rejected(of, n, range(replications, 4 * replications), **how)


def _rejected(of: EqualPair, n: int, sets: range, **how: Any) -> float:
    """Of so many test sets; undefined ones are drawn again."""
    rng = np.random.default_rng([n, crc32(f"{of.metric}, {of.what}".encode()), sets.start])
    found: list[bool] = []
    while len(found) < len(sets):
        try:
            test = outcome_difference(
                measure(of.metric), *of.sample(rng, n), n_resamples=RESAMPLES, random_state=sets[len(found)], **how
            )
        except DataError:  # an undefined score
            continue
        found.append(test.significant())
    return 100 * float(np.mean(found))


def lines(pairs: Sequence[EqualPair], replications: int) -> Iterator[str]:
    """The table of docs/evidence/comparing.md."""
    sizes = " · ".join(map(str, SIZES))
    yield f"| measure | two models with equal scores | rejected, per cent: {sizes} rows |"
    yield "|---|---|---|"
    for pair in pairs:
        shares = " · ".join(f"{rejected(pair, n, replications):.1f}" for n in SIZES)
        yield f"| {pair.metric} | {pair.what} | {shares} |"


def main(arguments: list[str]) -> None:
    replications = 400
    if "--replications" in arguments:
        at = arguments.index("--replications")
        replications = int(arguments[at + 1])
        del arguments[at : at + 2]
    for line in lines([pair for pair in fresh() if not arguments or pair.metric in arguments], replications):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
