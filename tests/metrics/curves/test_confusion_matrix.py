import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn import metrics

from probus.errors import DataError
from probus.metrics import ConfusionMatrix, Outcome, confusion_table
from probus.metrics.curves._shares import wilson

few = settings(max_examples=settings.default.max_examples // 3)


@st.composite
def labelled(draw):
    n, k = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    labels = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights[0] = 1
    return np.array(draw(labels)), np.array(draw(labels)), np.array(weights), list(range(k))


@few
@given(labelled(), st.sampled_from(["true", "pred", "all"]))
def test_counts_and_shares_are_scikit_learns(data, normalize):
    y, said, weights, classes = data
    matrix = confusion_table(y, said, classes=classes, sample_weight=weights)
    options = {"labels": classes, "sample_weight": weights}
    assert np.array_equal(matrix.counts, metrics.confusion_matrix(y, said, **options))
    value, low, high = matrix.shares(normalize)
    expected = metrics.confusion_matrix(y, said, normalize=normalize, **options)
    assert np.nan_to_num(value) == pytest.approx(expected)
    assert (low <= np.nan_to_num(value)).all()
    assert (np.nan_to_num(value, nan=1.0) <= high).all()


@few
@given(labelled())
def test_weights_equal_repetition(data):
    y, said, weights, classes = data
    weighted = confusion_table(y, said, classes=classes, sample_weight=weights)
    repeated = confusion_table(np.repeat(y, weights), np.repeat(said, weights), classes=classes)
    assert np.array_equal(weighted.counts, repeated.counts)
    assert weighted.accuracy.value == repeated.accuracy.value


@few
@given(labelled())
def test_the_table_per_class_is_scikit_learns(data):
    y, said, weights, classes = data
    frame = confusion_table(y, said, classes=classes, sample_weight=weights).per_class()
    expected = metrics.precision_recall_fscore_support(
        y, said, labels=classes, sample_weight=weights, zero_division=np.nan
    )
    for name, column in zip(("precision", "recall", "f1", "support"), expected, strict=True):
        assert frame[name].to_numpy() == pytest.approx(column, nan_ok=True)


def test_shares_have_wilsons_interval_of_their_rows():
    matrix = confusion_table(["a"] * 10 + ["b"] * 5, ["a"] * 8 + ["b"] * 7)
    _, low, high = matrix.shares("true")
    assert [low[0, 0], high[0, 0]] == pytest.approx([float(end) for end in wilson(0.8, 10, 0.95)])
    assert [low[1, 1], high[1, 1]] == pytest.approx([float(end) for end in wilson(1.0, 5, 0.95)])
    assert matrix.accuracy.value == pytest.approx(13 / 15)


def test_a_class_that_never_occurs_has_no_recall():
    frame = confusion_table(["a", "a"], ["a", "b"], classes=["a", "b", "c"]).per_class()
    assert frame["recall"].is_nan().to_list() == [False, True, True]
    assert frame["recall_low"].to_list()[1:] == [0, 0]
    assert frame["recall_high"].to_list()[1:] == [1, 1]


def test_it_names_what_is_confused_most():
    matrix = confusion_table(["cat"] * 5 + ["dog"] * 5, ["cat", "dog", "dog", "dog", "cat"] + ["dog"] * 5)
    assert repr(matrix).splitlines()[1] == "most often 'cat' taken for 'dog': 3 of 5"
    assert repr(confusion_table([0, 1], [0, 1])).endswith("no row is taken for another class")


def test_one_row_is_enough():
    assert confusion_table(["a"], ["a"]).accuracy.low < 0.3


def _luminance(colour):
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_the_text_of_every_cell_can_be_read():
    steps = 21
    counts = np.array([[i, steps - 1 - i] for i in range(steps)])
    y = np.repeat(np.arange(steps), steps - 1)
    said = np.concatenate([np.repeat([0, 1], row) for row in counts])
    ax = confusion_table(y, said, classes=list(range(steps))).plot(Figure(figsize=(30, 30)).add_subplot())
    colours = ax.images[0].cmap(ax.images[0].norm(ax.images[0].get_array()))
    for text in ax.texts:
        column, row = map(int, text.get_position())
        lighter, darker = sorted([_luminance(text.get_color()), _luminance(colours[row, column][:3])], reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) > 4


@pytest.mark.parametrize(("inches", "lines"), [(8, 3), (2.2, 2), (1, 1)])
def test_a_small_picture_says_less(inches, lines):
    ax = confusion_table([0, 1, 2] * 5, [0, 1, 2] * 5).plot(Figure(figsize=(inches, inches)).add_subplot())
    assert {text.get_text().count("\n") + 1 for text in ax.texts} == {lines}


def test_what_cannot_be_tabled_is_told():
    with pytest.raises(DataError, match="no predictions"):
        ConfusionMatrix.of(Outcome.of([0, 1], [0.5, 0.6], needs="scores"))
    with pytest.raises(DataError, match="numbers as the target"):
        ConfusionMatrix.of(Outcome.of([0.5, 1.5], [0.5, 0.6], needs="values"))
    with pytest.raises(DataError, match=r"normalize='rows'\.\n.*'true', 'pred' or 'all'"):
        confusion_table([0, 1], [0, 1]).shares("rows")
