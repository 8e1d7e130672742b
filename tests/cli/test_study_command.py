"""``probus study`` and ``probus resume``: the files, the options, the notes and JSON."""

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import probus
from probus.persistence import inspect

QUICK = ("--models", "bayes", "--evaluations", "0")


def test_a_study_writes_a_report_and_a_model_and_ends_with_the_path_of_the_report(run, tmp_path):
    code, out, _ = run("study", "iris", "--target", "species", "--out", "new/folder", "--cv", "3", *QUICK)
    assert code == 0
    assert out.strip().splitlines()[-1] == "report  new/folder/report.html"
    assert "Best: " in out
    assert "Zero-R" in out
    assert (tmp_path / "new/folder/report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "new/folder/model.probus").stat().st_size > 0


@pytest.mark.slow
def test_options_reach_the_study(run, tmp_path):
    words = "--target mpg --models linear,tree --evaluations 1 --cv 3 --seed 3 --scoring mae --scoring r2"
    words += " --kind cyl=ordinal --group gear --time 5m"
    probus.datasets.mtcars().to_polars().write_csv("cars.csv")
    code, _, _ = run("study", "cars.csv", *words.split())
    assert code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for word in (
        "grouped 3-fold cross-validation, seed 3",
        "Lower MAE is better.",
        "--kind cyl=ordinal",
        "--scoring mae --scoring r2",
        "--time 300s",
    ):
        assert word in page


def test_warnings_of_a_study_are_printed_as_notes(run, monkeypatch):
    monkeypatch.setattr("probus.study", lambda *args, **options: warnings.warn("column dropped: 'a'", stacklevel=1))
    monkeypatch.setattr("probus.cli._study._deliver", lambda *args: None)
    assert run("study", "iris", "--target", "species")[2] == "note: column dropped: 'a'\n"


@pytest.mark.slow
def test_a_warning_of_the_target_names_the_option(run):
    rows = "".join(f"{0.37 * i % 1:.2f},{1 + i * 7919 % 13 % 4}\n" for i in range(80))
    Path("rows.csv").write_text("x,y\n" + rows, encoding="utf-8")
    _, out, _ = run("study", "rows.csv", "--target", "y", "--models", "linear", "--evaluations", "0")
    assert "→ If they are classes: --kind y=ordinal, or 'nominal'" in " ".join(out.split())
    assert "The best of 1" not in out  # nothing was chosen


def test_a_resumed_study_writes_into_its_own_folder_if_the_user_agrees(run, tmp_path, monkeypatch):
    words = ("iris", "--target", "species", "--cv", "2", *QUICK, "--archive", "iris.db")
    assert "replaces" not in run("study", *words, "--out", "first")[1]
    written = (tmp_path / "first/model.probus").stat().st_mtime_ns
    (tmp_path / "elsewhere").mkdir()
    os.chdir("elsewhere")
    code, _, message = run("resume", "../iris.db")  # an archive of somebody else would choose where files are written
    assert code == 2
    assert f"names the folder '{tmp_path}/first'" in message
    assert f"pass --out {tmp_path}/first" in message
    assert (tmp_path / "first/model.probus").stat().st_mtime_ns == written
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    questions = []
    monkeypatch.setattr("typer.confirm", lambda text, **_: questions.append(text))
    code, out, _ = run("resume", "../iris.db")
    assert code == 0
    assert questions == [f"Go on with the study of 'iris', and write model and report into '{tmp_path}/first'?"]
    assert f"model   {tmp_path}/first/model.probus (replaces an earlier one)" in out
    assert (tmp_path / "first/model.probus").stat().st_mtime_ns > written
    assert not list((tmp_path / "elsewhere").iterdir())
    assert run("resume", "../iris.db", "--out", "second")[0] == 0
    assert (tmp_path / "elsewhere/second/report.html").exists()
    assert f"model   {tmp_path}/elsewhere/second/model.probus" in run("resume", "../iris.db")[1]  # the last one


def test_a_study_that_was_stopped_says_how_to_go_on(run, monkeypatch):
    whole = probus.study

    def interrupted(*args, **options):
        return replace(whole(*args, **options), stopped="interrupted: 1 of 2 models are finished and ranked")

    monkeypatch.setattr("probus.study", interrupted)
    words = ("study", "iris", "--target", "species", "--cv", "2", *QUICK)
    assert run(*words, "--archive", "iris.db")[1].endswith("report  report.html\ngo on   probus resume iris.db\n")
    assert run(*words)[1].endswith("report  report.html\n")


@pytest.mark.slow
def test_a_study_is_printed_as_json_and_resumed_from_its_archive(run):
    words = ("iris", "--target", "species", "--cv", "2", "--json", *QUICK)
    code, out, _ = run("study", *words, "--archive", "iris.db")
    assert code == 0
    first = json.loads(out)
    assert (first["best"], first["scoring"]) == ("Naive Bayes", "log_loss")
    code, out, _ = run("resume", "iris.db", "--json")
    assert code == 0
    assert json.loads(out)["leaderboard"] == first["leaderboard"]
    assert run("resume", "absent.db")[2] == "probus: no file 'absent.db'.\n  Expected the archive of a study.\n"


def test_the_model_file_remembers_where_it_comes_from(studied):
    metadata = inspect(studied / "model.probus").metadata
    assert (metadata["target"], metadata["data"], metadata["scoring"]) == ("species", "iris", "log_loss")
    assert metadata["estimate"]["value"] < 0.2


def test_an_interrupt_of_the_report_leaves_out_what_needs_further_fits(run, monkeypatch):
    def report(_, time=None):
        if time is None:
            raise KeyboardInterrupt
        return f"a report in {time} s"

    written = []
    monkeypatch.setattr("probus.report.write", lambda *parts: written.append(parts[0]))
    monkeypatch.setattr("probus.report.StudyReport.of", report)
    code, out, _ = run("study", "iris", "--target", "species", "--cv", "2", *QUICK)
    assert code == 0
    assert out.strip().splitlines()[-1] == "report  report.html"
    assert written == ["a report in 0 s"] * 3


def test_scores_that_do_not_exist_are_null_in_json(run, monkeypatch):
    monkeypatch.setattr("probus.report.write", lambda *_: None)
    monkeypatch.setattr("probus.report.StudyReport.of", lambda _: None)
    rows = "".join(f"{x * 7 % 40 / 3},{'yes' if x < 5 else 'no'}\n" for x in range(40))
    with open("few.csv", "w", encoding="utf-8") as file:
        file.write("x,y\n" + rows)
    out = run("study", "few.csv", "--target", "y", "--cv", "10", "--json", *QUICK)[1]
    assert "NaN" not in out
    assert json.loads(out)["tried"][0]["score"] is None


def test_data_that_was_moved_is_named_again_where_a_study_goes_on(run, tmp_path):
    probus.datasets.iris().to_polars().write_csv("iris.csv")
    words = ("iris.csv", "--target", "species", "--cv", "2", *QUICK, "--archive", "iris.db")
    assert run("study", *words)[0] == 0
    (tmp_path / "iris.csv").rename(tmp_path / "moved.csv")
    assert "iris.csv" in run("resume", "iris.db")[2]
    assert run("resume", "iris.db", "--data", "moved.csv")[0] == 0
