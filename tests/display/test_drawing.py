"""What all plots share: captions where nothing is drawn."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from probus.display import drawing

CORNERS = {
    "lower right": (0.9, 0.05), "upper right": (0.9, 0.95), "lower left": (0.1, 0.05), "upper left": (0.1, 0.95),
}  # fmt: skip


def corner_of(axes, preferred):
    drawing.caption(axes, [("two words", drawing.INK)], preferred)
    x, y = axes.texts[-1].get_position()
    return f"{'lower' if y < 0.5 else 'upper'} {'right' if x > 0.5 else 'left'}"


@pytest.mark.parametrize("corner", CORNERS)
def test_a_caption_is_in_the_preferred_corner_unless_something_is_drawn_there(corner):
    axes = Figure().add_subplot(xlim=(0, 1), ylim=(0, 1))
    assert corner_of(axes, corner) == corner
    axes.plot(*CORNERS[corner], "o")
    assert corner_of(axes, corner) != corner


@pytest.mark.parametrize("draw", ["plot", "scatter", "errorbar", "chance"])
def test_curves_points_and_bars_move_a_caption_and_the_line_of_chance_does_not(draw):
    axes = Figure().add_subplot(xlim=(0, 1), ylim=(0, 1))
    x, y = np.array([0.9, 0.95]), np.array([0.05, 0.05])
    {
        "plot": lambda: axes.plot(x, y),
        "scatter": lambda: axes.scatter(x, y),
        "errorbar": lambda: axes.errorbar([0.9], [0.3], [[0.29], [0.1]], fmt="none"),
        "chance": lambda: drawing.chance(axes, x, y),
    }[draw]()
    assert (corner_of(axes, "lower right") == "lower right") == (draw == "chance")


def test_what_is_outside_of_the_axes_is_not_behind_a_caption_and_limits_follow_the_points():
    axes = Figure().add_subplot(xlim=(0, 1), ylim=(0, 1))
    axes.plot([1.5], [1.5], "o")
    assert corner_of(axes, "upper right") == "upper right"
    axes = Figure().add_subplot()
    axes.plot([100, 200], [5, 1])
    assert corner_of(axes, "upper right") == "upper right"
    assert corner_of(axes, "upper left") != "upper left"


def test_titles_stand_out_in_the_dark():
    with pyplot.style.context("dark_background"):
        dark = pyplot.subplots()[1]
        drawing.tidy(dark, "a title", "x", "y")
    light = pyplot.subplots()[1]
    drawing.tidy(light, "a title", "x", "y")
    titles = [
        axes.findobj(lambda each: isinstance(each, Text) and each.get_text() == "a title") for axes in (dark, light)
    ]
    assert np.mean(to_rgb(titles[0][0].get_color())) > 0.8
    assert titles[1][0].get_color() == drawing.INK
    assert np.mean(to_rgb(dark.xaxis.get_gridlines()[0].get_color())) < 0.3
    assert to_rgb(drawing.behind_text(dark)["facecolor"]) == (0.0, 0.0, 0.0)
    pyplot.close("all")


def test_boxes_of_transparent_figures_are_white():
    axes = Figure(facecolor="none").add_subplot()
    assert drawing.behind_text(axes)["facecolor"] == "white"
    assert drawing.ink(axes) == drawing.INK
