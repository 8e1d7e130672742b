"""``probus explore``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from probus.cli import main

FEW = ("explore", "mtcars", "--max-rows", "30")


def run(capsys: Any, *arguments: str) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    captured = capsys.readouterr()
    return stop.value.code or 0, captured.out, captured.err


def test_the_page_is_written_into_a_new_folder(capsys: Any, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    code, out, _ = run(capsys, *FEW, "--html", str(page))
    assert code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert out.startswith("mtcars\n– 32 rows × ")
    assert f"report  {page}" in out


def test_json_is_the_result(capsys: Any) -> None:
    code, out, _ = run(capsys, *FEW, "--json", "--drop", "mpg", "--seed", "3")
    assert code == 0
    found = json.loads(out)
    assert found["name"] == "mtcars"
    assert found["random_state"] == 3
    assert "mpg" not in [column["name"] for column in found["profile"]["columns"]]


def test_an_unwritable_page_is_an_error_before_the_work(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    code, out, err = run(capsys, *FEW, "--html", str(tmp_path / "taken" / "page.html"))
    assert (code, out) == (2, "")
    assert "--html: " in err


def test_a_misspelt_column_is_an_error(capsys: Any) -> None:
    code, _, err = run(capsys, *FEW, "--drop", "mpgg")
    assert code == 2
    assert "Did you mean 'mpg'?" in err


def test_a_reader_who_stops_early_loses_no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="ascii") as stream:  # an encoding that lacks ≤ and × too
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as stop:
            main([*FEW, "--html", str(page)])
    assert not stop.value.code
    assert page.stat().st_size > 10_000
