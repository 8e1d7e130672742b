"""Several curves on one pair of axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from probus.display import drawing
from probus.errors import DataError
from probus.metrics.curves._score_curve import ScoreCurve

MOST_BANDS = 3  # curves with bands on one pair of axes


def plot_curves(curves: Mapping[str, ScoreCurve], ax: Any = None) -> Any:
    """Lay curves of one kind over each other, each named in its colour with its area; the axes are returned.

    At most six curves, of which more than three have no bands, since these would cover each other. If bands overlap,
    compare the models with a paired test.

    Parameters
    ----------
    curves : the curves, in a dict by name.
    ax : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.

    >>> from matplotlib.figure import Figure
    >>> from probus.metrics.curves import roc
    >>> curves = {"forest": roc([0, 0, 1, 1], [1, 2, 3, 4]), "logistic": roc([0, 0, 1, 1], [1, 3, 2, 4])}
    >>> ax = plot_curves(curves, Figure().add_subplot())
    >>> ax.get_title(loc="left")
    'ROC curve for 1'
    """
    if not curves:
        raise DataError("no curves.", "at least one")
    first, *others = curves.values()
    for name, curve in curves.items():
        if not isinstance(curve, ScoreCurve) or curve.vertical != first.vertical:
            raise DataError(
                f"{name!r} is a {type(curve).__name__} that does not fit the first.",
                "curves of scores, all of one kind",
                "Plot each kind separately.",
            )
    if len(curves) > len(drawing.COLOURS):
        raise DataError(
            f"{len(curves)} curves.", f"at most {len(drawing.COLOURS)}", "More colours cannot be distinguished."
        )
    ax = drawing.new_axes(ax)
    many = len(curves) > MOST_BANDS
    for curve, colour in zip(curves.values(), drawing.COLOURS, strict=False):
        (replace(curve, band=None) if many else curve).draw(ax, colour)
    same_label = all(curve.label == first.label for curve in others)
    first.frame(ax, f"{first.title} for {first.label}" if same_label else f"{first.title}s")
    lines = [
        (f"{name}: {curve.area.value:.3f}" if many else f"{name}: {curve.area}", colour)
        for (name, curve), colour in zip(curves.items(), drawing.COLOURS, strict=False)
    ]
    drawing.caption(ax, lines, first.corner)
    return ax
