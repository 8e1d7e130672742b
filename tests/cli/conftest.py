"""The command line in an empty folder, a study that tests share, and a reader that stops."""

import os
import sys

import pytest

from probus.cli import main


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command line in an empty folder: its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("PROBUS_DEBUG", raising=False)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def studied(tmp_path_factory):
    """The folder of a study of iris."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.raises(SystemExit):
        main(f"study iris --target species --cv 3 --models bayes --evaluations 0 --out {folder}".split())
    return folder


@pytest.fixture
def closed_pipe(monkeypatch):
    """Standard output whose reader has stopped, in an encoding that lacks ≤ and ×."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w", encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    yield
    stream.close()
