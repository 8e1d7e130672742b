"""Simulate, clean, train, judge: ``python -m examples.recoils --quick`` takes two minutes on two cores."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from examples.recoils import approaches, judging, pictures, sensitivity, trigger
from examples.recoils.approaches import Net
from examples.recoils.samples import BINS, Sample, sample

from probus.tree import export_text

QUICK, PAGE = 3000, 20_000  # images to train on


def main(arguments: list[str] | None = None) -> None:
    """Run what the arguments ask for."""
    options = _options(arguments)
    n = options.images or (QUICK if options.quick else PAGE)
    epochs = 8 if options.quick else 15
    net = (
        None
        if options.features
        else Net(options.epochs or epochs, tuple(options.channels), options.factor, options.device)
    )
    began = time.perf_counter()
    training, validation, test = (sample(size, seed) for size, seed in ((n, 1), (n // 2, 2), (n, 3)))
    print(f"{n:,} images to train on, {n // 2:,} to combine models on, {n:,} to judge on")
    found, models = _judge(training, validation, test, net)
    if not options.features:
        _more(training, test, models, net)
    _search(test, found)
    _title(f"A trigger: {trigger.EVENTS} tracks in each frame of {trigger.FRAME}² windows")
    print("\n".join(trigger.report()))
    if options.out:
        pictures.save(Path(options.out), training, test, models, found)
    print(f"\n{time.perf_counter() - began:.0f} s")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.recoils", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} images instead of {PAGE:,}")
    parser.add_argument("--images", type=int, help="images to train on, and as many to judge on")
    parser.add_argument("--features", action="store_true", help="models of features only; needs no PyTorch")
    parser.add_argument("--epochs", type=int, help="epochs of the network")
    parser.add_argument("--channels", type=int, nargs="+", default=[8, 16, 32], help="channels of its stages")
    parser.add_argument("--factor", type=int, default=2, choices=(1, 2, 4), help="pixels that it adds up, each way")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto")
    parser.add_argument("--out", help="a folder for the pictures")
    return parser.parse_args(arguments)


def _judge(
    training: Sample, validation: Sample, test: Sample, net: Net | None
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Train and compare the approaches; their probabilities on the test images, and the models."""
    models = approaches.fitted(training, net)
    found = approaches.scores(models, test, net)
    if net:
        combined = approaches.stacked(approaches.scores(models, validation, net), validation)
        found["both stacked"] = approaches.probability(combined, approaches.log_odds(found))
    _title("The tree")
    print(export_text(models["tree"], decimals=2))
    _title("What moves the glass box")
    sizes = models["glass box"].explain_global()
    print(", ".join(f"{sizes.terms[at]} {sizes.sizes[at]:.2f}" for at in sizes.order[:6]))
    _title("Electrons rejected where 50 % and 90 % of helium is kept")
    _print(judging.table_of_bins(test, found))
    _title("Tests between approaches: areas on the same images, p by Holm")
    print("\n".join(judging.verdicts(test, found)))
    _title("Rejection at 50 % from 5 to 15 keV, by the distance that the charge drifts")
    _print(judging.by_drift(training, test, found["boosting"]))
    return found, models


def _more(training: Sample, test: Sample, models: dict[str, Any], net: Net | None) -> None:
    _title("Area by the number of training images")
    _print(judging.learning(training, test, net, [max(40, len(training) // part) for part in (32, 8, 2)]))
    _title("Area on images with other noise")
    _print(judging.with_noise(models, net, min(len(test), 5000), (1.0, 2.0, 3.0, 4.0)))
    _title("Directions in the image: median error (90° by chance) and share of heads that are right (½ by chance)")
    _print(judging.directions(training, test, net))


def _search(test: Sample, found: dict[str, np.ndarray]) -> None:
    _title("The search")
    flux, best = sensitivity.flux(), list(found)[-1]
    print(f"The flux of WIMPs is {flux:.1e} per cm² and second, {100 * flux:.1e} through a hand of 100 cm².")
    print(f"Where half of the helium is kept, {best}:")
    for low, high in BINS[1:]:
        rows = test.within(low, high)
        rejected = judging.rejection(test.classes[rows], found[best][rows], 0.5)
        left = sensitivity.BANANA * (1 - rejected.value)
        needed, worst = (f"{sensitivity.exposure(0.5, each):,.0f}" for each in (rejected.value, rejected.low))
        time_needed = f"3 σ in {needed} kg years, {worst} at most" if left else f"3 σ in {worst} kg years at most"
        print(f"{low}–{high} keV: {left:.2g} of 100 electrons left, {time_needed}")
    for head in (0.55, 0.6, 0.8):
        needed = sensitivity.events_for_a_direction(head)
        print(f"With {head:.0%} of heads right, {needed:.0f} nuclei differ by 3 σ from neutrons of all directions.")


def _title(text: str) -> None:
    print(f"\n{text}\n")


def _print(rows: Iterable[list[str]]) -> None:
    """Rows of text in columns that line up."""
    rows = list(rows)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
