"""``python -m research.rejections [--replications 1000] [--bands] [word …]``: do intervals of rejections hold?

Scores of signal and background are drawn from populations whose rejection has a closed form at every efficiency: from
0.5 to 0.9999, on few rows and many. Counted is how often three intervals of 95 % hold the rejection where 50 % or 90 %
of the signal is kept: that of the threshold as it is (``working_point``), that of ``rejection_at``, and with
``--bands`` that of the resampled band. Beside it is the mean width over that of the first interval.

Normal scores, with the sizes and rejections in ``CHOSEN``, chose the method: Clopper and Pearson's interval rather than
Wilson's, and binomial tails of the signal rather than its normal deviation. All others only judge it. At 1,000
replications a coverage is known to about ±1.4 points.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import cauchy, norm

from probus.metrics import Estimate, efficiency_rejection

Draw = Callable[[np.random.Generator, int], np.ndarray]
REJECTIONS = (0.5, 0.9, 0.99, 0.999, 0.9999)
CHOSEN = ((20, 20), (100, 100), (100, 2000), (1000, 200), (1000, 1000))  # rows of signal and background
SIZES = ((30, 30), (40, 1000), (500, 60), (300, 10_000), (3000, 3000))


@dataclass(frozen=True)
class Cell:
    """A population, in which that share of background passes where that share of signal is kept, and its rows."""

    population: str
    efficiency: float
    rejection: float
    n_signal: int
    n_background: int
    weighted: bool = False

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Classes, scores and weights of a sample."""
        signal, background = POPULATIONS[self.population](self.efficiency, 1 - self.rejection)
        scores = np.concatenate([signal(rng, self.n_signal), background(rng, self.n_background)])
        weights = rng.exponential(size=len(scores)) if self.weighted else None
        return np.repeat([1, 0], [self.n_signal, self.n_background]), scores, weights


def normal(kept: float, passing: float, spread: float = 1.0) -> tuple[Draw, Draw]:
    """Normal scores; those of the signal are shifted, and have another spread."""
    shift = norm.isf(passing) - spread * norm.isf(kept)
    return lambda rng, n: rng.normal(shift, spread, n), lambda rng, n: rng.normal(size=n)


def wide(kept: float, passing: float) -> tuple[Draw, Draw]:
    """Normal scores, twice as spread for the signal."""
    return normal(kept, passing, 2.0)


def exponential(kept: float, passing: float) -> tuple[Draw, Draw]:
    """Exponential scores: the share of background is a power of the share of signal."""
    power = np.log(passing) / np.log(kept)
    return lambda rng, n: power * rng.exponential(size=n), lambda rng, n: rng.exponential(size=n)


def heavy(kept: float, passing: float) -> tuple[Draw, Draw]:
    """Cauchy scores, which are shifted for the signal."""
    shift = cauchy.isf(passing) - cauchy.isf(kept)
    return lambda rng, n: shift + rng.standard_cauchy(n), lambda rng, n: rng.standard_cauchy(n)


def tied(kept: float, passing: float) -> tuple[Draw, Draw]:
    """Whole numbers with geometric distributions: that share of background, or more signal, is at or above 4."""
    of_signal, of_background = kept ** (1 / 4.5), passing ** (1 / 4)
    return (
        lambda rng, n: rng.geometric(1 - of_signal, n) - 1,
        lambda rng, n: rng.geometric(1 - of_background, n) - 1,
    )


POPULATIONS = {each.__name__: each for each in (normal, wide, exponential, heavy, tied)}


def cells() -> Iterator[Cell]:
    """All cells; the weighted ones are exponential."""
    for name in POPULATIONS:
        sizes = CHOSEN if name == "normal" else SIZES
        for (signal, background), kept, rejection in product(sizes, (0.5, 0.9), REJECTIONS):
            yield Cell(name, kept, rejection, signal, background)
    for kept, rejection in product((0.5, 0.9), REJECTIONS):
        yield Cell("exponential", kept, rejection, 300, 3000, weighted=True)


def intervals(cell: Cell, rng: np.random.Generator, bands: bool) -> list[Estimate]:
    """The intervals on one sample: the threshold as it is, ``rejection_at``, and the band at the efficiency."""
    y, scores, weights = cell.draw(rng)
    seed = int(rng.integers(2**31))
    curve = efficiency_rejection(y, scores, sample_weight=weights, band=bands, n_resamples=300, random_state=seed)
    found = [curve.working_point(efficiency=cell.efficiency).rejection, curve.rejection_at(cell.efficiency)]
    if curve.band:
        at = int(np.argmin(np.abs(curve.band.x - cell.efficiency)))
        found.append(Estimate(*(float(end[at]) for end in (curve.band.value, curve.band.low, curve.band.high))))
    return found


def coverage(cell: Cell, replications: int, *, bands: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """How often each interval holds the true rejection, and its mean width."""
    rng = np.random.default_rng(seed)
    found = [intervals(cell, rng, bands) for _ in range(replications)]
    # rounding moves the ends, and the truth may be an end of ties
    held = [[each.low - 1e-12 <= cell.rejection <= each.high + 1e-12 for each in sample] for sample in found]
    return np.mean(held, axis=0), np.mean([[each.high - each.low for each in sample] for sample in found], axis=0)


def main() -> None:
    """Print a line for each cell, and the range over those that judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="populations")
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--bands", action="store_true")
    options = parser.parse_args()
    judged = []
    print("population   kept rejection   signal background   held by working_point, rejection_at (, band)   widths")
    for number, cell in enumerate(cells()):
        if options.words and cell.population not in options.words:
            continue
        held, width = coverage(cell, options.replications, bands=options.bands, seed=number)
        if cell.population != "normal":
            judged.append(held)
        what = cell.population + (", weighted" if cell.weighted else "")
        rates, widths = (" ".join(f"{each:6.3f}" for each in part) for part in (held, width / width[0]))
        sizes = f"{cell.n_signal:6d} {cell.n_background:6d}"
        print(f"{what:22s} {cell.efficiency:.1f} {cell.rejection:.4f} {sizes}   {rates}   {widths}", flush=True)
    for name, each in zip(("working_point", "rejection_at", "band"), np.transpose(judged), strict=False):
        below = int((each < 0.93).sum())
        print(f"{name}: {each.min():.3f} to {each.max():.3f} in {len(each)} cells that judge, {below} below 93 %")


if __name__ == "__main__":
    main()
