"""Rules as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display.drawing import INK, blues, new_axes, tidy

if TYPE_CHECKING:
    from probus.association._rules import Rules


def draw_rules(rules: Rules, ax: Any, named: int) -> Any:
    """Support against confidence with its interval, coloured by lift."""
    ax = new_axes(ax, 6.4, 4.8)
    support = np.array([rule.support for rule in rules])
    confidence = np.array([rule.confidence.value for rule in rules])
    lift = np.array([rule.lift.value for rule in rules])
    low, high = (np.array([getattr(rule.confidence, end) for rule in rules]) for end in ("low", "high"))
    ax.vlines(support, low, high, color="#b8c0c8", linewidth=0.8, zorder=2)
    colours = {"cmap": blues(), "vmin": 0, "vmax": lift.max(initial=1.0)}
    points = ax.scatter(support, confidence, c=lift, s=26, edgecolors=INK, linewidths=0.4, zorder=3, **colours)
    middle = (support.min(initial=0.0) + support.max(initial=0.0)) / 2
    for rule in rules.items[:named]:
        place, right = (rule.support, rule.confidence.value), rule.support > middle
        text = {"ha": "right" if right else "left", "fontsize": 8, "color": INK, "parse_math": False}
        ax.annotate(str(rule), place, (-6 if right else 6, 4), textcoords="offset points", **text)
    tidy(ax, f"{len(rules):,} rules in {rules.n_baskets:,} baskets", "support", "confidence")
    bar = ax.figure.colorbar(points, ax=ax, shrink=0.7)
    bar.set_label("lift")
    bar.outline.set_visible(False)
    return ax
