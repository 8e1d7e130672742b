"""``probus explore``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probus.cli import main

FEW = ("explore", "mtcars", "--max-rows", "30")


@pytest.mark.slow
def test_the_page_is_written_into_a_new_folder(run: Any, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    code, out, _ = run(*FEW, "--html", str(page))
    assert code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert out.startswith("mtcars\n– 32 rows × ")
    assert f"report  {page}" in out


def test_json_is_the_result(run: Any) -> None:
    code, out, _ = run(*FEW, "--json", "--drop", "mpg", "--seed", "3")
    assert code == 0
    found = json.loads(out)
    assert found["name"] == "mtcars"
    assert found["random_state"] == 3
    assert "mpg" not in [column["name"] for column in found["profile"]["columns"]]


def test_an_unwritable_page_is_an_error_before_the_work(run: Any, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    code, out, err = run(*FEW, "--html", str(tmp_path / "taken" / "page.html"))
    assert (code, out) == (2, "")
    assert "--html: " in err


def test_a_misspelt_column_is_an_error(run: Any) -> None:
    code, _, err = run(*FEW, "--drop", "mpgg")
    assert code == 2
    assert "Did you mean 'mpg'?" in err


def test_a_reader_who_stops_early_loses_no_page(closed_pipe: None, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as stop:
        main([*FEW, "--html", str(page)])
    assert not stop.value.code
    assert page.stat().st_size > 10_000
