"""Results are written to files whose format follows from the ending."""

import json

import polars as pl
import pytest

from probus.data import Table
from probus.errors import DataError
from probus.metrics.curves import confusion_table, roc


@pytest.fixture(scope="module")
def curve():
    return roc(["a", "b", "b", "a"], [0.1, 0.7, 0.4, 0.5], pos_label="b")


def test_a_page_holds_what_a_notebook_shows(curve, tmp_path):
    page = curve.save(tmp_path / "curve.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert curve._repr_html_()[:40] in page


def test_text_data_and_rows_are_written(curve, tmp_path):
    assert curve.save(tmp_path / "curve.txt").read_text(encoding="utf-8") == f"{curve!r}\n"
    assert json.loads(curve.save(tmp_path / "curve.json").read_text())["label"] == "b"
    assert pl.read_csv(curve.save(tmp_path / "curve.csv")).shape == curve.to_frame().shape
    assert pl.read_parquet(curve.save(tmp_path / "curve.parquet")).equals(curve.to_frame())


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_are_written(curve, tmp_path, ending, magic):
    assert curve.save(tmp_path / f"curve.{ending}").read_bytes().startswith(magic)
    matrix = confusion_table(["a", "b", "b"], ["a", "b", "a"])
    assert matrix.save(tmp_path / f"matrix.{ending}").exists()


def test_other_endings_and_folders_are_refused(curve, tmp_path):
    with pytest.raises(DataError, match=r"a RocCurve to write to(.|\n)*Expected a path that ends in \.html, \.json"):
        curve.save(tmp_path / "curve.doc")
    with pytest.raises(DataError, match="no folder"):
        curve.save(tmp_path / "there" / "curve.csv")
    with pytest.raises(DataError, match=r"a path that ends in [^,]+(, [^,]+){5}$"):
        Table({"a": [1.0, 2.0]}).describe().save(tmp_path / "table.png")  # which has no plot
