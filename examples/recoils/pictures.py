"""The pictures of docs/recoils.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from examples.recoils.cleaning import Camera
from examples.recoils.samples import SIGNAL, Sample

from probus.datasets import recoils
from probus.display import drawing
from probus.metrics import efficiency_rejection, plot_curves


def save(
    folder: Path, training: Sample, test: Sample, models: Mapping[str, Any], found: Mapping[str, np.ndarray]
) -> None:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        "recoil_tracks": tracks(),
        "recoil_features": clouds(test),
        "recoil_curves": curves(test, found),
        "recoil_errors": errors(test, found),
        "recoil_box": models["glass box"].plot_curve("length", _axes(4.6, 3.2), label=SIGNAL).figure,
    }
    for name, figure in drawn.items():
        write(figure, folder / f"{name}.png")


def write(figure: Any, path: Path) -> None:
    """Write a figure in 128 colours, a third of the bytes."""
    from PIL import Image

    figure.savefig(path, dpi=85, bbox_inches="tight")
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def tracks() -> Any:
    """An electron and a nucleus at five energies: the light alone, and what the camera sees."""
    energies = (2, 6, 11, 18, 28)
    figure, axes = _grid(4, len(energies))
    for at, energy in enumerate(energies):
        for how, noise in enumerate((0.0, 2.0)):
            images, classes, _ = recoils(40, random_state=5, energy=(energy, energy), drift=(10, 10), noise=noise)
            light = Camera.of(images).light(images)
            for k, name in enumerate(("electron", SIGNAL)):
                row = 2 * k + how
                _show(axes[row, at], light[np.flatnonzero(classes == name)[1]], f"{energy} keV" if row == 0 else "")
    for row, name in enumerate(("electron", "with noise", "helium", "with noise")):
        axes[row, 0].set_ylabel(name, color=drawing.INK)
    return figure


def clouds(test: Sample) -> Any:
    """Length against light, in two classes."""
    ax = _axes(5.6, 3.8)
    for name, colour in zip(("electron", SIGNAL), drawing.COLOURS, strict=False):
        rows = np.flatnonzero(test.classes == name)[:1500]
        x, y = test.true("visible")[rows], np.asarray(test.features["length"].values)[rows] * 0.3
        ax.plot(x, y, ".", color=colour, markersize=2.5, alpha=0.6)
    drawing.tidy(ax, "Long tracks are electrons", "visible energy in keV", "length (RMS) in mm")
    drawing.caption(ax, [("electron", drawing.COLOURS[0]), (SIGNAL, drawing.COLOURS[1])], "upper left")
    return ax.figure


def curves(test: Sample, found: Mapping[str, np.ndarray]) -> Any:
    """Signal efficiency against background rejection with bands: of the last approach by energy, and of three."""
    best = list(found)[-1]
    by_energy = {
        f"{low}–{high} keV": (found[best], test.within(low, high)) for low, high in ((5, 10), (10, 15), (15, 20))
    }
    some = [name for name in ("tree", "network", best) if name in found]
    by_approach = {name: (found[name], test.within(10, 15)) for name in some}
    figure, axes = _grid(1, 2, 4.2, 4.4)
    for ax, parts, title in zip(
        axes[0], (by_energy, by_approach), (f"{best}, by energy", "10–15 keV, by approach"), strict=True
    ):
        drawn = {
            name: efficiency_rejection(
                test.classes[rows], score[rows], pos_label=SIGNAL, n_resamples=300, random_state=0
            )
            for name, (score, rows) in parts.items()
        }
        plot_curves(drawn, ax).set_title(title, loc="left", fontsize=11, fontweight="bold", color=drawing.INK)
    return figure


def errors(test: Sample, found: Mapping[str, np.ndarray]) -> Any:
    """The images above 10 keV of which boosting and the network were most certain and wrong."""
    names = [name for name in ("boosting", "network") if name in found]
    figure, axes = _grid(2 * len(names), 6)
    bright = test.true("visible") > 10
    for k, name in enumerate(names):
        for row, (kind, sign) in enumerate((("electron", -1), (SIGNAL, 1))):
            order, line = np.argsort(sign * found[name]), axes[2 * k + row]
            wrong = [at for at in order if test.classes[at] == kind and bright[at]][: len(line)]
            for ax, at in zip(line, wrong, strict=False):
                energy, drift = test.true("visible")[at], test.true("drift")[at]
                _show(ax, test.light[at], f"{energy:.0f} keV, {drift:.0f} cm, p {found[name][at]:.2f}")
            line[0].set_ylabel(f"{kind}\n{name}", color=drawing.INK, fontsize=9)
    return figure


def _axes(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def _grid(rows: int, columns: int, width: float = 1.35, height: float = 1.4) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _show(ax: Any, image: np.ndarray, title: str) -> None:
    ax.imshow(image, cmap="magma", vmin=-3, vmax=max(12.0, float(image.max())))
    ax.set_title(title, fontsize=7, color=drawing.MUTED)
    ax.set_xticks([])
    ax.set_yticks([])
