"""Plots of an archive: what they show, and when they say no."""

import numpy as np
import pytest

from probus import DataError
from probus.spaces import Choice, Real, Space, when
from probus.tuning import Archive, Evaluation, Hyperband, Random, tune
from probus.tuning._archive_plots import _ScoreForest

CONDITIONAL = Space({"power": Choice(1, 2), "factor": when(Real(0.01, 2.0, log=True), power=2)})


def archive_of(score, n=60, seed=0, greater=True):
    """The evaluations of a known function."""
    configs = Space({"x": Real(0.001, 10.0, log=True), "kind": Choice("a", "b")}).sample(seed, n)
    scores = [{"auc": (score(config),)} for config in configs]
    found = [Evaluation(i, config, scores=each) for i, (config, each) in enumerate(zip(configs, scores, strict=True))]
    return Archive(tuple(found), ("auc",), greater)


def line_of(axes, colour):
    return next(line for line in axes.get_lines() if line.get_color() == colour and len(line.get_xdata()) > 1)


def test_the_best_so_far_is_the_running_maximum():
    archive = archive_of(lambda config: np.sin(3 * np.log(config["x"])))
    step = line_of(archive.plot(), "#c8500a")
    assert step.get_ydata()[:-1] == pytest.approx(np.maximum.accumulate(archive.main))
    worse = archive_of(lambda config: np.sin(3 * np.log(config["x"])), greater=False)
    assert line_of(worse.plot(), "#c8500a").get_ydata()[:-1] == pytest.approx(np.minimum.accumulate(worse.main))


def test_the_effect_of_a_parameter_is_found():
    archive = archive_of(lambda config: -(np.log10(config["x"]) ** 2) + 0.5 * (config["kind"] == "a"), n=120)
    curve = line_of(archive.plot_effect("x"), "#c8500a")
    assert curve.axes.get_xscale() == "log"
    assert abs(np.log10(curve.get_xdata()[np.nanargmax(curve.get_ydata())])) < 0.4
    kinds = line_of(archive.plot_effect("kind"), "#c8500a").get_ydata()
    labels = [text.get_text() for text in archive.plot_effect("kind").get_xticklabels()]
    assert 0.15 < kinds[labels.index("a")] - kinds[labels.index("b")] < 0.6, "0.5, less for scores that are cut off"
    assert archive.plot_effect("x", "kind") is not None


def test_an_effect_is_averaged_over_a_bounded_number_of_evaluations(monkeypatch):
    surrogate = _ScoreForest(archive_of(lambda config: np.log10(config["x"]), n=1000))
    predict, given = surrogate._forest.predict, []
    monkeypatch.setattr(surrogate._forest, "predict", lambda rows: (given.append(len(rows)), predict(rows))[1])
    at_one = surrogate.mean_with({surrogate.names.index("x"): 0.0})
    assert given == [250]
    assert at_one == pytest.approx(0.0, abs=0.1)


def test_only_active_parameters_are_averaged(shrunk, numbers):
    tuned = tune(shrunk, numbers, space=CONDITIONAL, tuner=Random(), evaluations=40, cv=2)
    surrogate = _ScoreForest(tuned.archive)
    column = surrogate.names.index("factor")
    assert 0 < np.isnan(surrogate.X[:, column]).sum() < len(surrogate.X)
    for draw in (tuned.archive.plot_parallel, lambda: tuned.archive.plot_effect("factor", "power"), tuned.archive.plot):
        assert draw().figure is not None


DEPTHS = Space({"model": Choice("tree", "line"), "model__depth": when(Choice(None, 10, 2), model="tree")})


def depths(n=40):
    configs = DEPTHS.sample(0, n)
    found = [Evaluation(i, config, scores={"auc": (i / n,)}) for i, config in enumerate(configs)]
    return Archive(tuple(found), ("auc",), True)


def test_a_parameter_that_is_not_active_is_not_shown_at_the_value_none():
    archive = depths()
    at_none = [each.config.get("model__depth", "absent") is None for each in archive]
    surrogate = _ScoreForest(archive)
    places = surrogate.X[:, surrogate.names.index("model__depth")]
    assert np.isnan(places).tolist() == [each.config["model"] == "line" for each in archive]
    assert (places == 2).tolist() == at_none


def test_choices_of_numbers_are_in_their_order_before_the_others():
    labels = [text.get_text() for text in depths().plot_effect("model__depth").get_xticklabels()]
    assert labels == ["2", "10", "None"]


def test_long_names_are_broken_where_parts_of_them_are_joined():
    labels = [text.get_text() for text in depths().plot_parallel().get_xticklabels()]
    assert "model__\ndepth" in labels


def test_failures_and_less_effort_are_shown(shrunk, numbers, space):
    tuned = tune(shrunk, numbers, space=space, tuner=Hyperband(eta=3, max_fidelity=9), cv=2)
    texts = [text.get_text() for text in tuned.archive.plot().texts]
    assert "with less effort" in texts
    html = tuned.archive._repr_html_()
    assert "<svg" in html
    assert "as given" in html or "factor" in html


def test_too_few_evaluations_have_no_effects():
    archive = archive_of(lambda config: config["x"], n=3)
    with pytest.raises(DataError, match=r"3 full evaluations.*\n.*at least 6 to show effects"):
        archive.plot_effect("x")
    with pytest.raises(DataError, match="no parameter 'z'"):
        archive.plot_effect("z")


def test_mixed_values_become_strings_in_a_frame():
    found = [Evaluation(0, {}, scores={"auc": (1.0,)}), Evaluation(1, {"m": "sqrt"}, scores={"auc": (1.0,)}),
             Evaluation(2, {"m": 0.5}, error="ValueError: no")]  # fmt: skip
    frame = Archive(tuple(found), ("auc",), True).to_frame()
    assert frame["m"].to_list() == [None, "sqrt", "0.5"]
    assert frame["error"].to_list() == [None, None, "ValueError: no"]
    assert np.isnan(frame["auc"][2])
