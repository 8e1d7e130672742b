"""The pictures of docs/recoils.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from examples.recoils.samples import BINS, SIGNAL, Sample

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
        "recoil_errors": errors(test, found[list(found)[-1]]),
        "recoil_box": models["glass box"].plot_curve("length", _axes(4.6, 3.2), label=SIGNAL).figure,
    }
    for name, figure in drawn.items():
        figure.savefig(folder / f"{name}.png", dpi=80, bbox_inches="tight")


def tracks() -> Any:
    """An electron and a nucleus at five energies: the light alone, and what the camera sees."""
    energies = (2, 6, 11, 18, 28)
    figure, axes = _grid(4, len(energies))
    for at, energy in enumerate(energies):
        made = recoils(2, random_state=5, energy=(energy, energy), drift=(10, 10), noise=0)
        noisy = recoils(2, random_state=5, energy=(energy, energy), drift=(10, 10))
        for k, name in enumerate(("electron", "helium")):
            place = int(np.flatnonzero(made.classes == name)[0])
            for row, source in ((2 * k, made), (2 * k + 1, noisy)):
                image = source.images[place].astype(float)
                _show(
                    axes[row, at],
                    image - np.median(source.images, axis=(1, 2))[place],
                    f"{energy} keV" if row == 0 else "",
                )
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
    """Signal efficiency against background rejection, in bins of energy, of the last approach."""
    score = found[list(found)[-1]]
    parts = {f"{low}–{high} keV": test.within(low, high) for low, high in BINS}
    ax = _axes(4.8, 4.8)
    drawn = {
        name: efficiency_rejection(test.classes[rows], score[rows], pos_label=SIGNAL, n_resamples=200, random_state=0)
        for name, rows in parts.items()
    }
    return plot_curves(drawn, ax).figure


def errors(test: Sample, score: np.ndarray) -> Any:
    """The images above 10 keV of which the model was most certain and wrong."""
    figure, axes = _grid(2, 6)
    bright = test.true("visible") > 10
    for row, (name, order) in enumerate((("electron", -score), (SIGNAL, score))):
        wrong = [at for at in np.argsort(order) if test.classes[at] == name and bright[at]][: axes.shape[1]]
        for ax, at in zip(axes[row], wrong, strict=False):
            _show(
                ax,
                test.light[at],
                f"{test.true('visible')[at]:.0f} keV, {test.true('drift')[at]:.0f} cm, p {score[at]:.2f}",
            )
        axes[row, 0].set_ylabel(name, color=drawing.INK)
    return figure


def _axes(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def _grid(rows: int, columns: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.55 * columns, 1.6 * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _show(ax: Any, image: np.ndarray, title: str) -> None:
    ax.imshow(image, cmap="magma", vmin=-3, vmax=max(12.0, float(image.max())))
    ax.set_title(title, fontsize=8, color=drawing.MUTED)
    ax.set_xticks([])
    ax.set_yticks([])
