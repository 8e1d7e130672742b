"""Every curve is a result: frozen, printed, shown, drawn, and data; and several share one pair of axes."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from probus.errors import DataError
from probus.metrics import (
    CalibrationCurve,
    ConfusionMatrix,
    EfficiencyCurve,
    Outcome,
    PrecisionRecallCurve,
    RocCurve,
    ThresholdChoice,
    calibration,
    choose_threshold,
    confusion_table,
    efficiency_rejection,
    plot_curves,
    precision_recall,
    roc,
)

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(80) < 0.4, "$yes", "no<")
P = np.clip(RNG.normal(0.3, 0.15, 80) + 0.3 * (Y == "$yes"), 0, 1)
SEED = {"n_resamples": 20, "random_state": 0, "pos_label": "$yes"}

RESULTS = {
    "roc": roc(Y, P, **SEED),
    "roc without a band": roc(Y, P, pos_label="$yes", band=False),
    "precision–recall": precision_recall(Y, P, **SEED),
    "efficiency": efficiency_rejection(Y, P, **SEED),
    "efficiency, inverse": efficiency_rejection(Y, P, rejection="inverse", **SEED),
    "calibration": calibration(Y, P, **SEED),
    "confusion": confusion_table(Y, np.where(P > 0.45, "$yes", "no<")),
    "threshold": choose_threshold(Y, P, **SEED),
}


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]


def test_it_cannot_be_changed(result):
    for field in fields(result):
        with pytest.raises(FrozenInstanceError):
            setattr(result, field.name, None)
        if isinstance(value := getattr(result, field.name), np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 0


def test_it_prints_in_two_lines_with_an_interval(result):
    first, second = repr(result).splitlines()
    assert "[" in first
    assert second


def test_it_shows_a_picture_with_its_words(result):
    open_before = pyplot.get_fignums()
    shown = result._repr_html_()
    assert "<svg" in shown
    assert "&#x27;" in shown or "Confusion" in shown
    assert "<?xml" not in shown
    assert pyplot.get_fignums() == open_before


def test_it_is_plain_data(result):
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)).keys() == {f.name for f in fields(result)}


def test_it_is_a_frame(result):
    assert result.to_frame().height > 0


def test_it_draws_on_the_axes_it_is_given(result):
    ax = Figure().add_subplot()
    assert result.plot(ax) is ax
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.get_title(loc="left")


def test_it_makes_axes_of_its_own(result):
    ax = result.plot()
    assert ax.figure.number in pyplot.get_fignums()
    pyplot.close(ax.figure)


@pytest.mark.parametrize("kind", [RocCurve, PrecisionRecallCurve, EfficiencyCurve, CalibrationCurve, ThresholdChoice])
def test_an_outcome_gives_what_arrays_give(kind):
    verb = {
        RocCurve: roc,
        PrecisionRecallCurve: precision_recall,
        EfficiencyCurve: efficiency_rejection,
        CalibrationCurve: calibration,
        ThresholdChoice: choose_threshold,
    }[kind]
    outcome = Outcome.of(Y, P, needs="probabilities", pos_label="$yes")
    assert kind.of(outcome, **SEED).to_dict() == verb(Y, P, **SEED).to_dict()


def test_probabilities_have_a_confusion_matrix():
    outcome = Outcome.of(Y, P, needs="probabilities", pos_label="$yes")
    assert np.array_equal(
        ConfusionMatrix.of(outcome).counts, confusion_table(Y, np.where(P > 0.5, "$yes", "no<")).counts
    )


def test_the_band_is_data_too():
    band = RESULTS["roc"].band
    assert band.to_frame().columns == ["x", "value", "low", "high"]
    assert band.to_dict()["level"] == 0.95


@pytest.mark.parametrize("verb", [roc, precision_recall, efficiency_rejection])
def test_curves_of_several_models_share_axes_and_are_named(verb):
    curves = {"forest": verb(Y, P, **SEED), "logistic": verb(Y, -P, **SEED)}
    ax = plot_curves(curves, Figure().add_subplot())
    told = [text.get_text() for text in ax.texts]
    assert len(told) == 2
    assert any(text.startswith("forest") and str(curves["forest"].area) in text for text in told)
    assert ax.get_legend() is None
    assert len({text.get_color() for text in ax.texts}) == 2


def test_more_than_three_curves_have_no_bands_and_short_captions():
    one = roc(Y, P, **SEED)
    few, many = ({f"m{i}": one for i in range(n)} for n in (3, 4))
    assert len(plot_curves(few, Figure().add_subplot()).collections) == 3
    ax = plot_curves(many, Figure().add_subplot())
    assert len(ax.collections) == 0
    assert {text.get_text() for text in ax.texts} == {f"m{i}: {one.area.value:.3f}" for i in range(4)}


def test_curves_of_several_classes_have_a_title_without_a_class():
    ax = plot_curves(
        {label: roc(Y, P, pos_label=label, band=False) for label in ("no<", "$yes")}, Figure().add_subplot()
    )
    assert ax.get_title(loc="left") == "ROC curves"


@pytest.mark.parametrize(
    ("curves", "told"),
    [
        ({}, "no curves"),
        ({"a": RESULTS["roc"], "b": RESULTS["precision–recall"]}, "'b' is a PrecisionRecallCurve"),
        ({"a": RESULTS["efficiency"], "b": RESULTS["efficiency, inverse"]}, "'b' is a EfficiencyCurve"),
        ({"a": RESULTS["confusion"]}, "'a' is a ConfusionMatrix"),
        ({str(i): RESULTS["roc"] for i in range(7)}, "7 curves"),
    ],
)
def test_curves_that_do_not_go_together_are_told(curves, told):
    with pytest.raises(DataError, match=told):
        plot_curves(curves)


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = "import sys, probus.metrics.curves; print(*{name.partition('.')[0] for name in sys.modules})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"matplotlib", "polars", "sklearn", "scipy", "numba"} & set(said.split())
