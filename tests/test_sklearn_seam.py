"""Private names of scikit-learn are imported in one module only, and the installed scikit-learn has each of them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import sklearn.naive_bayes
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, make_scorer

import probus
from probus import sklearn_seam
from probus.patch import patched_sklearn
from probus.sklearn_seam import ATTRIBUTES, NAMES, PARTIAL_DEPENDENCE, SCORING_LOOP, original

SEAM = Path(sklearn_seam.__file__)
SOURCES = sorted(Path(probus.__file__).parent.rglob("*.py"))
OTHERS = {
    "_asdict", "_exit", "_getframe",  # of Python
    "_all_parameters", "_own_parameters",  # ours, by another way
    "_add_module", "_codegen", "_create_empty_module", "_data_name", "_final_module", "_finalize_dynamic_globals",
    "_load_index", "_numba_unpickle",  # of Numba
}  # fmt: skip


@cache
def tree_of(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def is_private(dotted: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in dotted.split("."))


def private_uses(tree: ast.Module) -> Iterator[str]:
    """The private names of scikit-learn that a module imports, reaches by attributes, or writes as a string."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "sklearn":
            bound |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            names = [each for each in node.names if each.name.split(".")[0] == "sklearn"]
            bound |= {each.asname or "sklearn": each.name if each.asname else "sklearn" for each in names}
            yield from (each.name for each in names if is_private(each.name))
    yield from filter(is_private, bound.values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            base = node.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id in bound:
                yield ast.unparse(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if text.startswith("sklearn.") and " " not in text and is_private(text):
                yield text


def test_no_other_module_uses_private_names_of_scikit_learn():
    found = {str(source): list(private_uses(tree_of(source))) for source in SOURCES if source != SEAM}
    assert {source: names for source, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "code",
    [
        "from sklearn.utils import _safe_indexing",
        "def f():\n    from sklearn.linear_model._base import LinearRegression",
        "import sklearn.utils._pprint",
        "from sklearn import utils\nutils._safe_indexing",
        "import sklearn.utils\nsklearn.utils.validation._num_samples(X)",
        "where = 'sklearn.impute._iterative'",
    ],
)
def test_each_way_to_a_private_name_is_found(code):
    assert len(list(private_uses(ast.parse(code)))) == 1


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_has_each_name_of_the_seam(name):
    private = NAMES[name]
    assert is_private(f"{private.module}.{private.name}"), "a public name is imported from scikit-learn"
    assert getattr(sklearn_seam, name) is getattr(import_module(private.module), private.name)
    assert private.use
    assert private.replacement.endswith(".")


def test_each_name_of_the_seam_is_used():
    used = set()
    for source in SOURCES:
        for node in ast.walk(tree_of(source)):
            if isinstance(node, ast.ImportFrom) and node.module == "probus.sklearn_seam":
                used |= {each.name for each in node.names}
            elif isinstance(node, ast.Dict):  # of borrow
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "probus.sklearn_seam":
                        used |= set(ast.literal_eval(value))
    assert set(NAMES) <= used


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute '_safe_indexing'"):
        sklearn_seam._safe_indexing


def test_modules_that_are_named_are_there():
    assert callable(import_module(SCORING_LOOP)._fit_and_score)
    assert inspect.isclass(import_module(PARTIAL_DEPENDENCE).BaseHistGradientBoosting)


# -- attributes ----------------------------------------------------------------------------------------


def fitted(path: str):
    """An object that has all of its private attributes."""
    module, _, name = path.rpartition(".")
    made = getattr(import_module(module), name)
    X, y = np.array([[0.0], [1.0], [2.0], [2.0]]), [0, 1, 1, 0]
    settings = {
        "ColumnTransformer": {"transformers": [("all", "passthrough", [0])]},
        "KBinsDiscretizer": {"n_bins": 2, "quantile_method": "averaged_inverted_cdf"},
        "NearestNeighbors": {},
        "OneHotEncoder": {"min_frequency": 2},
        "Pipeline": {"steps": [("bayes", sklearn.naive_bayes.GaussianNB())]},
        "VotingClassifier": {"estimators": [("bayes", sklearn.naive_bayes.GaussianNB())]},
    }
    if made is make_scorer:
        return make_scorer(accuracy_score)
    return BaseEstimator() if made is BaseEstimator else made(**settings.get(name, {})).fit(X, y)


@pytest.mark.parametrize("path", [path for path in ATTRIBUTES if path != "sklearn.base.BaseEstimator"])
def test_objects_of_scikit_learn_have_the_attributes_of_the_seam(path):
    model = fitted(path)
    assert [name for name in ATTRIBUTES[path] if not hasattr(model, name)] == []


def test_private_attributes_that_are_not_ours_are_listed():
    ours, read = set(), set()
    for source in SOURCES:
        for node in ast.walk(tree_of(source)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                ours.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                ours.add(node.id)
            elif isinstance(node, ast.Attribute):
                own = isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"
                (ours if own else read).add(node.attr)
    foreign = {name for name in read - ours if is_private(name)}
    assert foreign - OTHERS - {name for names in ATTRIBUTES.values() for name in names} == set()


# -- classes that are patched --------------------------------------------------------------------------


def test_the_original_of_a_patched_class_is_scikit_learns():
    theirs = sklearn.naive_bayes.GaussianNB
    with patched_sklearn(["GaussianNB"]):
        assert sklearn.naive_bayes.GaussianNB is not theirs
        assert original("sklearn.naive_bayes", "GaussianNB") is theirs
    assert original("sklearn.naive_bayes", "GaussianNB") is theirs
