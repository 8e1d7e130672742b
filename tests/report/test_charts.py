import re
from xml.etree import ElementTree

import numpy as np
import pytest

from probus.data import Column
from probus.metrics.curves import calibration, roc
from probus.report import _charts as charts
from probus.report._inline_svg import picture
from probus.report._residuals import Residuals
from probus.report._summary import Classes, summarise

random = np.random.default_rng(0)


def histogram():
    target = Column.labels("y", ["no", "yes"] * 100)
    return charts.histogram(summarise(Column.numbers("x", random.normal(size=200)), Classes.of(target, 200)).shape)


def every_chart():
    numbers = random.normal(size=100)
    return {
        "histogram": histogram(),
        "heat map": charts.heat_map(random.uniform(-1, 1, (4, 4)), ["a", "b", "c", "d"]),
        "missing map": charts.missing_map(random.random((50, 2)), ["a", "b"]),
        "residuals": picture(Residuals.of(numbers, numbers + random.normal(size=100)).plot, "Residuals"),
        "curve": picture(roc(numbers > 0, numbers + random.normal(size=100)).plot, "ROC curve"),
        "calibration": picture(calibration(numbers > 0, 1 / (1 + np.exp(-numbers))).plot, "Calibration"),
    }


@pytest.fixture(scope="module")
def pictures():
    return every_chart()


def test_pictures_are_well_formed_and_described(pictures):
    for each in pictures.values():
        root = ElementTree.fromstring(each)
        assert root.tag == "svg"
        assert root.get("role") == "img"
        assert root.get("aria-label")


def test_pictures_need_nothing_from_outside_and_clash_with_nothing(pictures):
    for each in pictures.values():
        assert not re.search(r"https?:|url\(|<style|<metadata| id=|xlink", each)


def test_colours_follow_the_theme_of_the_page(pictures):
    for each in pictures.values():
        assert not re.search(r"#[0-9a-f]{3,6}", re.sub(r"base64,[^\"]+", "", each))
        assert "var(--" in each


def test_the_same_data_gives_the_same_bytes():
    shape = summarise(Column.numbers("x", np.arange(50.0)), Classes.of(None, 50)).shape
    assert charts.histogram(shape) == charts.histogram(shape)


def test_a_histogram_is_one_path_per_class_and_small():
    bars = histogram()
    assert len(re.findall(r"<path[^>]*fill:var\(--class-", bars)) == 2
    assert len(bars) < 4000


def test_hostile_names_become_text_and_a_dollar_is_no_formula():
    names = ["<script>alert(1)</script>", "$x^2$", 'a"b', "数据"]
    drawn = charts.heat_map(np.eye(4), names)
    assert "<script" not in drawn
    texts = [text.text for text in ElementTree.fromstring(drawn).iter("text")]
    assert {"$x^2$", 'a"b', "数据"} <= set(texts)


def test_equal_numbers_still_make_a_picture():
    residuals = Residuals.of(np.ones(5), np.ones(5))
    for plot in (residuals.plot, residuals.plot_observed, residuals.plot_quantiles):
        assert "svg" in picture(plot, "equal")
    assert "svg" in charts.histogram(summarise(Column.numbers("x", [2.0, 2.0]), Classes.of(None, 2)).shape)
