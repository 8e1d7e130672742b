"""How good approaches are: rejection with intervals, tests, learning curves, noise, and directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from examples.recoils.approaches import OF_FEATURES, Net, probability
from examples.recoils.samples import BINS, SIGNAL, Sample, sample
from sklearn.base import clone

from probus.comparison import bootstrap_difference, holm_pvalues
from probus.data import Table
from probus.metrics import Estimate, efficiency_rejection, estimate, roc

KEPT = (0.5, 0.9)


def rejection(classes: np.ndarray, score: np.ndarray, kept: float) -> Estimate:
    """The share of electrons that is rejected where that share of helium is kept."""
    return efficiency_rejection(classes, score, pos_label=SIGNAL, band=False).rejection_at(kept)


def table_of_bins(test: Sample, found: Mapping[str, np.ndarray]) -> Iterator[list[str]]:
    """A row for each energy bin and approach: the area, and the rejection at both efficiencies."""
    yield ["keV", "approach", "area", *(f"rejection at {kept:.0%}" for kept in KEPT)]
    for low, high in (*BINS, (BINS[0][0], BINS[-1][1])):
        rows = test.within(low, high)
        for name, score in found.items():
            area = roc(test.classes[rows], score[rows], pos_label=SIGNAL, band=False).area
            rejected = [rejection(test.classes[rows], score[rows], kept) for kept in KEPT]
            yield [f"{low}–{high}", name, *(f"{each:.3f}" for each in (area, *rejected))]


def verdicts(test: Sample, found: Mapping[str, np.ndarray], alpha: float = 0.05) -> Iterator[str]:
    """A paired test of the areas of each two approaches, decided by Holm's adjusted p-values."""
    names = list(combinations(found, 2))
    results = [
        bootstrap_difference(
            "roc_auc",
            test.classes,
            found[a],
            found[b],
            names=(a, b),
            pos_label=SIGNAL,
            random_state=0,
            n_resamples=1000,
        )
        for a, b in names
    ]
    adjusted = holm_pvalues([each.pvalue for each in results])
    for (a, b), result, p in zip(names, results, adjusted, strict=True):
        better = a if result.statistic > 0 else b
        verdict = f"{better} beats {b if better == a else a}" if p <= alpha else f"{a} and {b}: undecided"
        yield f"{verdict}, by {abs(result.statistic):.4f}, adjusted p {'<' if p < 0.01 else '='} {max(p, 0.01):.2f}"


def learning(training: Sample, test: Sample, net: Net | None, sizes: Sequence[int]) -> Iterator[list[str]]:
    """The area after training on the first images, for boosting and the network."""
    yield ["training images", "boosting", *(["network"] if net else [])]
    for n in sizes:
        classes = training.classes[:n]
        boosting = clone(OF_FEATURES["boosting"]).fit(training.shape.take(np.arange(n)), classes)
        row = [probability(boosting, test.shape)]
        if net:
            network = net.classifier().fit(net.images(training)[:n], classes)
            row.append(probability(network, net.images(test)))
        yield [f"{n:,}", *_areas(test, row)]


def _areas(test: Sample, scores: Sequence[np.ndarray]) -> list[str]:
    return [f"{roc(test.classes, each, pos_label=SIGNAL, band=False).area:.3f}" for each in scores]


def with_noise(models: Mapping[str, Any], net: Net | None, n: int, levels: Sequence[float]) -> Iterator[list[str]]:
    """The area on images with other noise than that of the training; the camera is calibrated anew."""
    names = [name for name in ("boosting", "network") if name in models]
    yield ["noise of a pixel", *names]
    for level in levels:
        noisy = sample(n, seed=4, noise=level)
        row = [
            probability(models[name], net.images(noisy) if net and name == "network" else noisy.shape) for name in names
        ]
        yield [f"{level:g}", *_areas(noisy, row)]


def by_drift(training: Sample, test: Sample, score: np.ndarray) -> Iterator[list[str]]:
    """Rejection at half the signal from 5 to 15 keV, by distance of drift, and that of boosting that knows it."""
    model = clone(OF_FEATURES["boosting"]).fit(_with_drift(training), training.classes)
    known = probability(model, _with_drift(test))
    yield ["drift in cm", "boosting", "boosting, drift known"]
    for low, high in ((0, 10), (10, 20), (20, 30), (30, 40), (40, 50)):
        rows = test.within(low, high, "drift") & test.within(5, 15)
        yield [f"{low}–{high}", *(f"{rejection(test.classes[rows], each[rows], 0.5):.3f}" for each in (score, known))]


def _with_drift(sample: Sample) -> Table:
    """The features, and the true distance of the drift."""
    return Table.of({**{name: sample.shape[name].values for name in sample.shape.names}, "drift": sample.true("drift")})


def unit_vectors(sample: Sample) -> np.ndarray:
    """The first direction of each track as seen in the image; short where it points along the line of sight."""
    angle, length = sample.true("direction"), np.sqrt(1 - sample.true("rise") ** 2)
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)])


def angular_error(sample: Sample, angle: np.ndarray) -> np.ndarray:
    """The angle between predicted and true directions in the image, in degrees; 90 on average by chance."""
    return np.degrees(np.abs(np.angle(np.exp(1j * (angle - sample.true("direction"))))))


def directions(training: Sample, test: Sample, net: Net | None) -> Iterator[list[str]]:
    """The median angular error, and the share of heads that is right, by class and energy."""
    yield [
        "class",
        "keV",
        *(f"{what}, {how}" for how in ("axis", "network")[: 2 if net else 1] for what in ("error", "head")),
    ]
    for name in np.unique(test.classes):
        axis = np.nan_to_num(np.asarray(test.features["angle"].values))
        found = [axis if name == SIGNAL else axis + np.pi]  # electrons ionise most at their end, helium at its start
        if net:
            mine = training.classes == name
            model = net.regressor().fit(net.images(training)[mine], unit_vectors(training)[mine])
            predicted = model.predict(net.images(test))
            found.append(np.arctan2(predicted[:, 1], predicted[:, 0]))
        for low, high in BINS:
            rows = test.within(low, high) & (test.classes == name)
            errors = [angular_error(test, each)[rows] for each in found]
            cells = [(estimate(_median, each, each, random_state=0), share_of_heads(each)) for each in errors]
            yield [name, f"{low}–{high}", *(text for error, head in cells for text in (f"{error:.0f}°", f"{head:.2f}"))]


def share_of_heads(errors: np.ndarray) -> Estimate:
    """How often the error is below a right angle."""
    return estimate("accuracy", np.ones(len(errors), dtype=int), (errors < 90).astype(int), classes=[0, 1])


def _median(errors: Any, _: Any) -> float:
    return float(np.median(errors))
