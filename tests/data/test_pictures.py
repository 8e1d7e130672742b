"""Pictures of a table: what is drawn for columns of every kind, alone, against a target, and in pairs."""

import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats

from probus import datasets
from probus.data import Column, Table
from probus.data.pictures import draw_against
from probus.data.pictures._bins import drawn_rows
from probus.data.pictures._column_picture import count_levels
from probus.data.pictures._target_picture import mean_intervals
from probus.errors import DataError

rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def every_kind(n=60):
    return Table.of(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "level": rng.choice(["a", "b$x$", "<c>"], n),
            "day": [f"2024-01-{1 + i % 28:02}" for i in range(n)],
            "text": [f"some words about {i} and more of them" for i in range(n)],
            "empty": [None] * n,
            "same": np.ones(n),
            "y": rng.normal(size=n),
            "class": rng.choice(["no", "yes"], n),
        },
        kinds={"text": "text", "empty": "numeric"},
    )


@pytest.mark.parametrize("target", [None, "y", "class"])
def test_columns_of_every_kind_are_drawn(target):
    table = every_kind()
    axes = table.plot(target=target)
    assert len(axes) == len(table.names) - (target is not None)
    axes[0].figure.canvas.draw()
    assert [ax.get_title(loc="left").partition(" (")[0] for ax in axes] == [n for n in table.names if n != target]


def test_stacked_bars_count_the_rows_of_each_class():
    table = datasets.titanic()
    (ax,) = table.plot("Sex", target="Survived")
    widths = sorted({round(bar.get_width()) for bar in ax.patches})
    sex, survived = table["Sex"].decoded(), table["Survived"].decoded()
    expected = {int((sex == s).sum()) for s in ("male", "female")}
    expected |= {int(((sex == s) & (survived == "no")).sum()) for s in ("male", "female")}
    assert widths == sorted(expected)


def test_means_have_the_interval_of_students_t():
    groups, y = rng.integers(0, 3, 80), rng.normal(size=80)
    mean, low, high = mean_intervals(groups, y, 3)
    for k in range(3):
        part = y[groups == k]
        ends = stats.t.interval(0.95, len(part) - 1, part.mean(), stats.sem(part))
        assert (low[k], high[k]) == pytest.approx(ends)
        assert mean[k] == pytest.approx(part.mean())


def test_many_levels_are_shown_as_the_most_frequent_and_others():
    column = Column.labels("town", [f"t{i}" for i in range(30) for _ in range(30 - i)])
    codes, names = count_levels(column)
    assert names == [*(f"t{i}" for i in range(11)), "19 others"]
    assert np.bincount(codes).tolist() == [30 - i for i in range(11)] + [sum(range(1, 20))]


def test_long_tables_are_sampled_for_points_only():
    n = 20_000
    column, target = Column.numbers("x", rng.normal(size=n)), Column.numbers("y", rng.normal(size=n))
    ax = draw_against(column, target)
    assert len(ax.collections[0].get_offsets()) == 3000
    assert (drawn_rows(np.ones(n, bool)) == drawn_rows(np.ones(n, bool))).all()


def test_pairs_are_coloured_by_class():
    axes = datasets.iris().plot_pairs("petal_length", "petal_width", target="species")
    assert axes.shape == (2, 2)
    assert len({tuple(colour) for colour in axes[0, 1].collections[0].get_facecolors()}) == 3


def test_mistakes_are_named():
    table = every_kind()
    with pytest.raises(DataError, match=r"no column 'absent'"):
        table.plot("absent")
    with pytest.raises(DataError, match=r"61 columns to draw\.\n  Expected 1 to 60\. Name those to draw"):
        Table.of({f"x{j}": [1.0, 2.0] for j in range(61)}).plot()
    with pytest.raises(DataError, match=r"1 numeric columns to draw in pairs"):
        table.plot_pairs("number", "level")
    with pytest.raises(DataError, match=r"a target of numbers, 'y', to colour by"):
        table.plot_pairs("number", "same", target="y")


def test_three_columns_are_points_in_space():
    table = datasets.iris()
    ax = table.plot_space("petal_length", "petal_width", "sepal_width", target="species")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("petal_length", "petal_width", "sepal_width")
    assert len({tuple(colour) for colour in ax.collections[0].get_facecolor()}) == 3
    shaded = table.plot_space("petal_length", "petal_width", "sepal_width", target="sepal_length")
    assert len(shaded.figure.axes) == 2  # with a colour bar
    with pytest.raises(DataError, match="three numeric columns"):
        table.plot_space("petal_length", "species", "sepal_width")
    with pytest.raises(DataError, match="projection='3d'"):
        table.plot_space("petal_length", "petal_width", "sepal_width", ax=pyplot.subplots()[1])
