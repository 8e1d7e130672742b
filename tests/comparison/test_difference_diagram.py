from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from probus.comparison import difference_diagram
from probus.comparison._difference_diagram import groups_within
from probus.errors import DataError

LONG = "a model whose name goes on and on, costs $5 or $6, and does not end"


def drawn(ranks, difference, names, size=(7, 4)):
    axes = Figure(figsize=size).add_axes((0.02, 0.02, 0.96, 0.96))
    return difference_diagram(ranks, difference, names, axes=axes)


def labels(axes):
    return [text for text in axes.texts if text.get_gid() == "name"]


def bars(axes):
    thick = [line for line in axes.lines if line.get_linewidth() > 3]
    return [tuple(line.get_xdata()) for line in thick]


@pytest.mark.slow
@given(st.lists(st.floats(1, 12), min_size=2, max_size=12), st.sampled_from([(7, 4), (4, 2)]), st.booleans())
@settings(max_examples=15, deadline=None)
def test_names_never_overlap_nor_leave_the_figure(ranks, size, long):
    axes = drawn(ranks, 2.0, [LONG if long else f"model {i}" for i in range(len(ranks))], size)
    canvas = FigureCanvasAgg(axes.figure)
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in labels(axes)]
    assert len(boxes) == len(ranks)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= canvas.get_width_height()[0] and box.y0 >= 0 for box in boxes)


@given(st.lists(st.floats(1, 20), min_size=2, max_size=15), st.floats(0, 10))
def test_two_models_share_a_bar_exactly_where_they_are_within_the_difference(ranks, difference):
    ranks = sorted(ranks)
    groups = groups_within(ranks, difference)
    for a, b in combinations(range(len(ranks)), 2):
        joined = any(first <= a and b <= last for first, last in groups)
        assert joined == (ranks[b] - ranks[a] < difference)
    assert not any(a != b and a[0] >= b[0] and a[1] <= b[1] for a in groups for b in groups)


def test_bars_of_overlapping_groups_lie_on_different_levels():
    axes = drawn([1.0, 2.0, 3.0, 4.0], 2.5, list("abcd"))
    thick = [line for line in axes.lines if line.get_linewidth() > 3]
    assert len(thick) == 2
    assert len({line.get_ydata()[0] for line in thick}) == 2


def test_demsar_2006_figure_1a():
    # Demšar (2006), table 6 and figure 1 (a): four variants of C4.5 on 14 data sets, CD 1.25 by Nemenyi's test
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    axes = drawn([3.143, 2.000, 2.893, 1.964], 1.25, names)
    assert [text.get_text() for text in labels(axes)] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    np.testing.assert_allclose(bars(axes), [(1.964, 3.143)], atol=0.1)


def test_no_bar_where_every_model_stands_alone():
    assert bars(drawn([1.0, 2.0, 3.0], 0.5, list("abc"))) == []


def test_the_critical_difference_is_drawn_to_scale_and_told():
    axes = drawn([1.0, 2.0], 0.75, list("ab"))
    assert any(tuple(line.get_xdata()) == (1.0, 1.75) for line in axes.lines)
    assert any(text.get_text().startswith("critical difference 0.75") for text in axes.texts)


def test_without_axes_the_figure_grows_with_the_models():
    from matplotlib import pyplot

    few, many = (difference_diagram(range(1, k + 1), 1.5, [f"m{i}" for i in range(k)]) for k in (3, 12))
    assert many.figure.get_size_inches()[1] > few.figure.get_size_inches()[1]
    pyplot.close("all")


@pytest.mark.parametrize(
    ("ranks", "difference", "names", "words"),
    [
        ([1.0, 2.0], 1.0, ["a"], "2 average ranks and 1 names"),
        ([1.0], 1.0, ["a"], "at least two models"),
        ([0.0, 1.0], 1.0, ["a", "b"], "ranks from 1"),
        ([1.0, np.nan], 1.0, ["a", "b"], "not finite"),
        ([1.0, 2.0], -1.0, ["a", "b"], "a critical difference of -1.0"),
        ([1.0, 2.0], np.nan, ["a", "b"], "a critical difference of nan"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(ranks, difference, names, words):
    with pytest.raises(DataError, match=words):
        difference_diagram(ranks, difference, names)
