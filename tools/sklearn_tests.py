"""Run scikit-learn's own tests on the classes of Probus.

python tools/sklearn_tests.py [trees|forests|hist|...] [pytest arguments]

Each test file of the installed scikit-learn is copied to a temporary folder; where Probus has a class of the same name
in the module of the same name, the copy imports that one instead. Printed are the results of each file, and every
failure. A test that uses private names of scikit-learn (``_tree``, ``tree_.__getstate__``, ``_criterion``) cannot be
expected to pass and is counted separately.
"""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import sklearn

HOME = Path(sklearn.__file__).parent
GROUPS = {
    "trees": ["tree/tests/test_tree.py", "tree/tests/test_monotonic_tree.py"],
    "export": ["tree/tests/test_export.py"],
    "forests": ["ensemble/tests/test_forest.py"],
    "hist": [
        "ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py",
        "ensemble/_hist_gradient_boosting/tests/test_monotonic_constraints.py",
        "ensemble/_hist_gradient_boosting/tests/test_warm_start.py",
    ],
    "boosting": ["ensemble/tests/test_gradient_boosting.py", "ensemble/tests/test_weight_boosting.py"],
    "components": [
        "decomposition/tests/test_pca.py",
        "decomposition/tests/test_incremental_pca.py",
        "decomposition/tests/test_factor_analysis.py",
        "manifold/tests/test_mds.py",
    ],
    "semi_supervised": ["semi_supervised/tests/test_self_training.py"],
    "isolation": ["ensemble/tests/test_iforest.py"],
    "lof": ["neighbors/tests/test_lof.py"],
    "bagging": ["ensemble/tests/test_bagging.py"],
    "stacking": ["ensemble/tests/test_stacking.py", "ensemble/tests/test_voting.py"],
    "neighbors": ["neighbors/tests/test_neighbors.py", "neighbors/tests/test_nearest_centroid.py"],
    "naive_bayes": ["tests/test_naive_bayes.py"],
    "discriminant": ["tests/test_discriminant_analysis.py"],
    "multiclass": ["tests/test_multiclass.py"],
    "kernels": [
        "tests/test_kernel_ridge.py",
        "gaussian_process/tests/test_gpr.py",
        "gaussian_process/tests/test_gpc.py",
    ],
    "dummy": ["tests/test_dummy.py"],
    "networks": ["neural_network/tests/test_mlp.py"],
    "selection": [
        "feature_selection/tests/test_feature_select.py",
        "feature_selection/tests/test_chi2.py",
        "feature_selection/tests/test_variance_threshold.py",
    ],
    "descent": ["linear_model/tests/test_sgd.py", "linear_model/tests/test_perceptron.py"],
    "linear": [
        "linear_model/tests/test_base.py",
        "linear_model/tests/test_ridge.py",
        "linear_model/tests/test_coordinate_descent.py",
        "linear_model/tests/test_logistic.py",
        "linear_model/_glm/tests/test_glm.py",
    ],
    "regression": [
        "linear_model/tests/test_huber.py",
        "linear_model/tests/test_quantile.py",
        "linear_model/tests/test_bayes.py",
    ],
    "clusters": ["cluster/tests/test_k_means.py", "cluster/tests/test_dbscan.py", "cluster/tests/test_hierarchical.py"],
    "mixtures": ["mixture/tests/test_gaussian_mixture.py"],
    "svm": ["svm/tests/test_svm.py", "svm/tests/test_sparse.py", "svm/tests/test_bounds.py"],
}
WHOLE = ("linear_model", "naive_bayes", "neighbors", "svm", "tree")  # modules that tests import as such
_PATCHED = re.compile(r"sklearn(\.\w+)*\._\w+\.\w+")  # what a test replaces in a private module
_PUBLIC = ("__name__", "__class__")
LENT = ("_get_loss",)  # private methods of scikit-learn's models that its tests take the truth from
HELPERS = ("sklearn.utils.", "sklearn.tests.")  # private by name, but tools of tests and not parts of a model


def ours(module: str, name: str) -> str | None:
    """The module of Probus that has a class of its own of this name."""
    public = ".".join(part for part in module.split(".")[1:] if not part.startswith("_")).split(".")[0]
    try:
        package = importlib.import_module(f"probus.{public}")
    except ModuleNotFoundError as error:
        if error.name != f"probus.{public}":  # a package of Probus that cannot be imported
            raise
        return None
    found = getattr(package, name, None)
    own = isinstance(found, type) and found.__module__.startswith("probus.")
    return f"probus.{public}" if own else None


def lent(module: str, name: str, own: str) -> list[str]:
    """Lines that give our class the private methods of scikit-learn's that its tests compute the truth with."""
    theirs = getattr(importlib.import_module(module), name)
    source = f"__import__({theirs.__module__!r}, fromlist=['_']).{theirs.__name__}"
    return [f"{own}.{method} = {source}.{method}" for method in LENT if hasattr(theirs, method)]


def patched(source: str) -> str:
    """The test file with imports of our classes behind its own."""
    tree, imports, last = ast.parse(source), [], 0
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            last = node.end_lineno or last
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sklearn"):
            continue
        for alias in node.names:
            if node.module == "sklearn" and alias.name in WHOLE:
                imports.append(f"import probus.{alias.name} as {alias.asname or alias.name}")
            elif module := ours(node.module or "", alias.name):
                imports.append(f"from {module} import {alias.name} as {alias.asname or alias.name}")
                imports += lent(node.module or "", alias.name, alias.asname or alias.name)
    lines = source.splitlines()
    return "\n".join([*lines[:last], *imports, *lines[last:]]) + "\n"


def private_tests(source: str) -> set[str]:
    """The test functions that use private names of scikit-learn, themselves or through their helpers."""
    tree = ast.parse(source)
    internal = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(HELPERS)
        for alias in node.names
        if any(part.startswith("_") for part in [*(node.module or "").split("."), alias.name])
    }
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    private = {name for name, node in functions.items() if _is_private(node, internal)}
    while True:
        calling = {
            name
            for name, node in functions.items()
            if any(isinstance(part, ast.Name) and part.id in private for part in ast.walk(node))
        }
        if calling <= private:
            return private
        private |= calling


def _is_private(node: ast.AST, internal: set[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in internal:
            return True
        if isinstance(part, ast.Attribute) and part.attr.startswith("_") and part.attr not in _PUBLIC:
            return True
        if isinstance(part, ast.ImportFrom) and any(p.startswith("_") for p in (part.module or "").split(".")):
            return True
        if isinstance(part, ast.Constant) and _PATCHED.fullmatch(str(part.value)):
            return True
    return False


def run(path: str, arguments: list[str]) -> tuple[int, int]:
    """Run one file; prints its results and returns passed and failed tests that use no private name."""
    source = (HOME / path).read_text()
    with tempfile.TemporaryDirectory() as folder:
        copy, results = Path(folder) / Path(path).name, Path(folder) / "results.xml"
        copy.write_text(patched(source))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "sklearn.conftest"]
        options = [f"--rootdir={folder}", "-W", "ignore", f"--junitxml={results}", "--tb=line", *arguments]
        done = subprocess.run([*command, *options, str(copy)], capture_output=True, text=True, check=False)
        if not results.exists():
            print(path, "did not run:", done.stdout[-2000:], done.stderr[-2000:])
            return 0, 1
        cases = list(ET.parse(results).getroot().iter("testcase"))
    private = private_tests(source)
    counts = {(kind, way): 0 for kind in ("public", "private") for way in ("passed", "failed", "skipped")}
    failures = []
    for case in cases:
        name = case.get("name", "")
        kind = "private" if name.split("[")[0] in private else "public"
        wrong = [part for part in case if part.tag in ("failure", "error")]
        way = "failed" if wrong else "skipped" if case.find("skipped") is not None else "passed"
        counts[kind, way] += 1
        if wrong:
            failures.append(f"  {kind:8} {name}: {(wrong[0].get('message') or '').splitlines()[0][:140]}")
    print(path, *(f"{kind} {way} {n}" for (kind, way), n in counts.items() if n), sep=", ")
    print("\n".join(sorted(failures, reverse=True)))
    return counts["public", "passed"], counts["public", "failed"]


if __name__ == "__main__":
    wanted = [name for name in sys.argv[1:] if name in GROUPS] or list(GROUPS)
    others = [argument for argument in sys.argv[1:] if argument not in GROUPS]
    summary = {}
    for group in wanted:
        pairs = [run(path, others) for path in GROUPS[group]]
        summary[group] = [sum(numbers) for numbers in zip(*pairs, strict=True)]
    print("\nTests that use no private name:")
    for group, (passed, failed) in summary.items():
        print(f"  {group}: {passed} of {passed + failed} pass ({passed / max(1, passed + failed):.1%})")
