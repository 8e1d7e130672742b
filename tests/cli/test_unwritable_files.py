"""Files are written or refused before the work, whatever happens to the disk and to the reader of the output."""

import os
import subprocess
import sys

import pytest

from probus.cli import main

QUICK = ("--models", "bayes", "--evaluations", "0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "files"),
    [
        (
            "study iris --target species --cv 2 --models bayes --evaluations 0 --out new/folder",
            ["new/folder/model.probus", "new/folder/report.html"],
        ),
        ("profile iris --html new/folder/page.html", ["new/folder/page.html"]),
        ("datasets iris --csv new/folder/iris.csv", ["new/folder/iris.csv"]),
    ],
)
def test_files_are_written_though_the_reader_of_the_output_stops(closed_pipe, tmp_path, monkeypatch, command, files):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(command.split())
    assert not stop.value.code
    assert all((tmp_path / file).stat().st_size > 100 for file in files)


@pytest.mark.slow
def test_predictions_end_quietly_where_their_reader_stops(closed_pipe, studied):
    with pytest.raises(SystemExit) as stop:
        main(["predict", str(studied / "model.probus"), "iris"])
    assert not stop.value.code


def test_head_ends_a_command_without_a_word():
    command = f"{sys.executable} -m probus datasets | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("name")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("study iris --target species --out taken/below", "--out: taken/below/model.probus"),
        ("profile iris --html taken/page.html", "--html: taken/page.html"),
        ("predict model.probus iris --out taken/out.csv", "--out: taken/out.csv"),
        ("datasets iris --csv taken/iris.csv", "--csv: taken/iris.csv"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(run, tmp_path, monkeypatch, command, option):
    def work(*arguments, **options):
        raise AssertionError("worked in vain")

    for name in ("probus.study", "probus.load", "probus.lifecycle.open_source", "probus.datasets.load"):
        monkeypatch.setattr(name, work)
    (tmp_path / "taken").write_text("a file")
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    why = "Not a directory" if "study" in command else "File exists"
    assert err == f"probus: {option} cannot be written: {why}.\n  Expected a file in a folder that can be written.\n"


def test_a_folder_is_no_file_to_write_to(run, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "--html: folder cannot be written: Is a directory." in run("profile", "iris", "--html", "folder")[2]


@pytest.mark.slow
def test_what_was_found_is_printed_where_saving_fails(run, monkeypatch):
    def fails(*arguments, **options):
        raise OSError(28, "No space left on device", "model.probus")

    monkeypatch.setattr("probus.persistence.save", fails)
    code, out, err = run("study", "iris", "--target", "species", "--cv", "2", *QUICK)
    assert (code, err) == (2, "probus: No space left on device: model.probus\n")
    assert "Best: " in out


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_the_file_for_which_the_disk_has_no_space_is_named_and_so_are_those_that_were_saved(run, tmp_path):
    (tmp_path / "report.json").symlink_to("/dev/full")
    code, out, err = run("study", "iris", "--target", "species", "--cv", "2", *QUICK)
    saved = "saved before the error: model.probus and report.html\n"
    assert (code, err) == (2, saved + "probus: No space left on device: report.json\n")
    assert "Best: " in out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_device_is_named(run, studied):
    message = "probus: No space left on device: /dev/full\n"
    assert run("profile", "iris", "--html", "/dev/full")[::2] == (2, message)
    assert run("predict", str(studied / "model.probus"), "iris", "--out", "/dev/full")[::2] == (2, message)
    assert run("datasets", "iris", "--csv", "/dev/full")[::2] == (2, message)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_on_a_full_disk_is_named(tmp_path, unbuffered):
    words = ["datasets", "iris", "--csv", "iris.csv"]
    with open("/dev/full", "wb") as full:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        command = [sys.executable, "-m", "probus", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (2, b"probus: No space left on device: standard output\n")
    assert (tmp_path / "iris.csv").stat().st_size > 100


def test_a_file_in_a_folder_that_is_read_only_is_refused_before_the_work(run, tmp_path, monkeypatch):
    """A file is replaced by renaming, for which its folder must be writable, though the file itself is."""

    def refuse(dir):
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr("probus.cli._output.tempfile.TemporaryFile", refuse)
    monkeypatch.setattr("probus.study", lambda *_, **__: pytest.fail("worked in vain"))
    for name in ("model.probus", "report.html"):
        (tmp_path / name).write_text("older")
    code, _, err = run("study", "iris", "--target", "species")
    assert (code, err.splitlines()[0]) == (2, "probus: --out: model.probus cannot be written: Permission denied.")
