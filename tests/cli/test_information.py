"""``probus profile``, ``datasets``, ``doctor`` and ``--help``."""

import polars as pl

import probus


def test_a_profile_shows_columns_kinds_reasons_pictures_and_findings(run, tmp_path):
    probus.datasets.titanic().to_polars().write_csv("people.csv")
    code, out, _ = run("profile", "people.csv", "--target", "Survived", "--html", "p.html", "--kind", "Pclass=ordinal")
    assert code == 0
    for part in ("people", "891 rows × 12 columns", "numeric", "ordinal", "set by you", "77 %", "█", "PB102", "→"):
        assert part in out
    assert "report  p.html" in out
    assert "Coloured by Survived." in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_the_data_sets_are_listed_shown_and_exported(run, tmp_path):
    code, out, _ = run("datasets")
    assert code == 0
    for name in probus.datasets.names():
        assert name in out
        assert probus.datasets.info(name).licence in out
    _, out, _ = run("datasets", "iris", "--csv", "i.csv")
    assert "150 rows × 5 columns" in out
    assert pl.read_csv("i.csv").height == 150
    assert run("datasets", "--csv", "x")[0] == 2


def test_the_doctor_names_versions_machine_threads_and_caches(run):
    code, out, _ = run("doctor")
    assert code == 0
    for part in ("probus", "scikit-learn", "processor", "cores", "memory", "threads", "compiled kernels", "writable"):
        assert part in out
    assert "NOT INSTALLED" not in out


def test_help_names_every_command_and_the_exit_codes(run):
    code, out, _ = run("--help")
    assert code == 0
    for part in ("study", "predict", "profile", "explore", "label", "datasets", "doctor", "warmup", "Exit codes"):
        assert part in out
    assert run("--version")[1] == f"probus {probus.__version__}\n"
    for command in ("study", "predict", "profile", "explore", "label", "datasets", "doctor", "warmup"):
        assert run(command, "--help")[0] == 0
