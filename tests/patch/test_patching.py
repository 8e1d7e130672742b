"""Our names go into scikit-learn's modules and come out again."""

import re
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest
import sklearn.ensemble
import sklearn.tree

import probus
from probus.ensemble import RandomForestClassifier
from probus.patch.__main__ import main, table
from probus.patch._replacements import SHARED, replacements
from probus.tree import DecisionTreeClassifier

pytestmark = pytest.mark.filterwarnings("ignore:Imported before")

SCRIPT = """
import sys

import neighbour
from sklearn.tree import DecisionTreeClassifier

print(DecisionTreeClassifier.__module__, sys.argv[1:])
"""


@pytest.fixture(autouse=True)
def unpatched():
    yield
    probus.unpatch_sklearn()


def contents():
    modules = *SHARED, "inspection._partial_dependence"
    return {module: dict(vars(import_module(f"sklearn.{module}"))) for module in modules}


def test_patching_replaces_the_names_and_unpatching_restores_every_module():
    before = contents()
    probus.patch_sklearn()
    assert sklearn.ensemble.RandomForestClassifier is RandomForestClassifier
    assert isinstance(RandomForestClassifier(), sklearn.ensemble.RandomForestClassifier)
    assert all(getattr(import_module(module), name) is thing for (module, name), thing in replacements().items())
    probus.unpatch_sklearn()
    assert contents() == before


def test_patching_twice_and_unpatching_twice_change_nothing_more():
    before = contents()
    for _ in range(2):
        probus.patch_sklearn()
    for _ in range(2):
        probus.unpatch_sklearn()
    assert contents() == before


def test_some_names_can_be_chosen():
    theirs = sklearn.ensemble.RandomForestClassifier
    probus.patch_sklearn(["DecisionTreeClassifier"])
    assert sklearn.tree.DecisionTreeClassifier is DecisionTreeClassifier
    assert sklearn.ensemble.RandomForestClassifier is theirs
    with pytest.raises(probus.DataError, match=r"cannot replace 'FunctionTransformer'.\n  Expected some of .*AdaBoost"):
        probus.patch_sklearn(["FunctionTransformer"])


def test_a_block_restores_what_it_replaced_and_no_more():
    before = contents()
    with probus.patched_sklearn(["DecisionTreeClassifier"]):
        with probus.patched_sklearn():
            assert sklearn.ensemble.RandomForestClassifier is RandomForestClassifier
        assert sklearn.ensemble.RandomForestClassifier is not RandomForestClassifier
        assert sklearn.tree.DecisionTreeClassifier is DecisionTreeClassifier
    assert contents() == before


def test_a_block_that_raises_restores_too():
    before = contents()
    with pytest.raises(ZeroDivisionError), probus.patched_sklearn():
        1 / 0
    assert contents() == before


def test_names_imported_before_patching_are_reported(monkeypatch):
    early = ModuleType("a_module")
    early.Forest = sklearn.ensemble.RandomForestClassifier
    monkeypatch.setitem(sys.modules, "a_module", early)
    with pytest.warns(UserWarning, match=r"before patch_sklearn\(\) and still scikit-learn's: a_module.Forest"):
        probus.patch_sklearn()


def test_the_list_says_what_is_replaced_and_what_is_left_alone():
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in table().splitlines()}
    assert listed["name"].split("  ")[0] == "replaced by"
    assert listed["sklearn.ensemble.RandomForestClassifier"] == "probus.ensemble.RandomForestClassifier"
    assert listed["sklearn.tree.plot_tree"] == "probus.tree.plot_tree"
    assert re.fullmatch(r"left alone +Probus borrows it from scikit-learn", listed["sklearn.decomposition.NMF"])
    assert re.fullmatch(r"left alone +Probus has no such module", listed["sklearn.covariance.*"])
    assert {f"{module}.{name}" for module, name in replacements()} < set(listed)


@pytest.mark.slow
def test_the_command_runs_scripts_and_modules(tmp_path, monkeypatch, capsys):
    (tmp_path / "neighbour.py").write_text("")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "probus.patch", str(tmp_path / "script.py"), "--depth", "3"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("probus.tree")
    assert done.stdout.endswith(" ['--depth', '3']\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "argv", ["patch"])
    main(["-m", "script", "here"])
    assert capsys.readouterr().out.endswith(" ['here']\n")
    with pytest.raises(SystemExit):
        main([])
    assert "pass a script, -m and a module, or --list" in capsys.readouterr().err


@pytest.mark.slow
def test_a_reader_that_stops_early_causes_no_traceback():
    listing = [sys.executable, "-m", "probus.patch", "--list"]
    with subprocess.Popen(listing, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Ridge", {"solver": "sag"}),
        ("RidgeCV", {}),
        ("RidgeClassifierCV", {}),
        ("LogisticRegression", {"solver": "liblinear"}),
        ("LogisticRegressionCV", {"solver": "liblinear", "cv": 2, "Cs": 2}),
    ],
)
def test_what_stands_on_scikit_learn_still_does_when_its_name_is_replaced(name, options):
    X, y = [[0.0], [1.0], [2.0], [3.0], [1.5], [0.5]], [0, 0, 1, 1, 1, 0]
    probus.patch_sklearn()
    model = getattr(import_module("sklearn.linear_model"), name)(**options).fit(X, y)
    assert type(model).__module__.startswith("probus.")
    assert len(model.predict(X)) == 6
