"""Mistakes of users, wrong options and failures of the program: a message and an exit code."""

from pathlib import Path

import pytest

from probus.cli import main
from probus.cli._options import parse_kinds, parse_time
from probus.errors import DataError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("study titanic --target survived", "probus: no column 'survived'."),
        ("study titanic --target survived", "Did you mean 'Survived'?"),
        ("study titanix --target Survived", "Did you mean titanic?"),
        ("study absent.csv --target y", "absent.csv"),
        ("study iris --target species --scoring f1", "no score 'f1' for this target"),
        ("study iris --target species --kind petal_width", "--kind petal_width."),
        ("study iris --target species --kind species=numeric", "not numbers"),
        ("study iris --target species --time soon", "--time soon."),
        ("study iris --target species --cv 500", "150 rows for 500 folds."),
        ("study iris --target species --out /proc/nowhere", "/proc/nowhere"),
        ("profile iris --target specie", "Did you mean 'species'?"),
        ("profile .", "probus: "),
        ("datasets nope", "no data set 'nope'."),
        ("predict absent.probus iris", "absent.probus"),
        ("predict pyproject.toml iris", "probus: "),
    ],
)
def test_mistakes_are_one_readable_message_and_exit_code_two(run, arguments, message):
    code, _, err = run(*arguments.split())
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("probus: ")


@pytest.mark.parametrize("arguments", ["stdy", "study", "study iris", "study iris --target species --folds 1", "--no"])
def test_wrong_use_has_exit_code_two(run, arguments):
    code, _, err = run(*arguments.split())
    assert code == 2
    assert "Usage: probus" in err


def test_the_unexpected_is_one_line_and_a_hint(run, monkeypatch):
    def break_down(*_, **__):
        raise RuntimeError("the sky fell\non our heads")

    monkeypatch.setattr("probus.datasets.source.open_source", break_down)
    code, _, err = run("profile", "iris")
    assert code == 1
    assert err == (
        "probus: RuntimeError: the sky fell\n  This should not have happened. Set PROBUS_DEBUG=1 for the traceback.\n"
    )
    monkeypatch.setenv("PROBUS_DEBUG", "1")
    with pytest.raises(RuntimeError, match="the sky fell"):
        main(["profile", "iris"])


def test_an_interrupt_before_any_model_is_finished_is_said(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("probus.study", interrupt)
    message = "probus: stopped before any model was finished\n"
    assert run("study", "iris", "--target", "species") == (130, "", message)
    Path("my fits.db").touch()
    code, _, message = run("study", "iris", "--target", "species", "--archive", "my fits.db")
    resumed = "; probus resume 'my fits.db' goes on\n"
    assert (code, message) == (130, f"probus: stopped before any model was finished{resumed}")
    message = run("study", "https://a.org/b.csv", "--target", "y", "--archive", "my fits.db")[2]
    assert message.endswith("; probus resume 'my fits.db' --data https://a.org/b.csv goes on\n")


def test_options_that_are_not_what_they_should_be():
    with pytest.raises(DataError, match=r"--kind =nominal\.\n  Expected COLUMN=KIND"):
        parse_kinds(["=nominal"])
    with pytest.raises(DataError, match=r"--time 0\.\n  Expected a span of time"):
        parse_time("0")
    assert parse_time("1.5h") == 5400
    assert parse_kinds(["a=b=ordinal"]) == {"a=b": "ordinal"}


def test_advice_names_only_options_that_the_command_has(run, tmp_path):
    (tmp_path / "rows.csv").write_text("x,empty\n" + "".join(f"{i},\n" for i in range(30)))
    assert "→ table.drop('empty')" in run("profile", "rows.csv")[1]
    (tmp_path / "bad.csv").write_text("x,empty\n")
    assert "Pass --no-header if that is a row." in run("profile", "bad.csv")[2]
    rows = "".join(f"{i},patient{i // 3},{(i // 3) * 7 % 5}\n" for i in range(90))
    (tmp_path / "visits.csv").write_text("visit,patient,y\n" + rows)
    assert "--groups patient" in run("profile", "visits.csv", "--target", "y")[1]
    assert "Task(" not in run("profile", "visits.csv", "--target", "y")[1]
