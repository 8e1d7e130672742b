"""Write docs/drop-in.md: what of scikit-learn's modules is ours, what is borrowed, and how ours differ.

python tools/drop_in.py
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import sklearn.experimental.enable_halving_search_cv
import sklearn.experimental.enable_iterative_imputer  # noqa: F401  and one only after this

from probus.patch._replacements import SHARED, public_names

PAGE = Path(__file__).parent.parent / "docs" / "drop-in.md"

INTRODUCTION = """# Drop-in for scikit-learn

Every public name of a scikit-learn module that Probus has too imports from ours: replace `from sklearn.ensemble import
…` by `from probus.ensemble import …` and the rest of the script runs. What we do not implement is borrowed, that is,
scikit-learn's own. To keep the script unchanged, put our estimators in the place of scikit-learn's:

```
python -m probus.patch script.py      # run a script under the patch; -m for a module
python -m probus.patch --list         # what is replaced, what is left alone and why
```

or call `probus.patch_sklearn()` before the script's imports (`probus.unpatch_sklearn()` restores them,
`with probus.patched_sklearn():` does both). Names that were imported before stay scikit-learn's; a warning lists them.

Our classes have scikit-learn's parameters, attributes and methods. They are not subclasses of its private base classes
(`BaseDecisionTree`, `BaseEnsemble`), and models that draw random numbers draw others, so that scores agree but not
every digit. The tables list what ours have in addition, and how they differ.
"""

_NEIGHBOURS = (
    'also `metric="gower"` and `"hellinger"`, `weights="linear"`; rows as near as the k-th share its vote, so that '
    'their order does not matter (`distance_ties="first"` takes the first, as scikit-learn does); '
    "only ball trees use `leaf_size`"
)
_CURVE = (
    "returns an object with intervals and a plot, which unpacks as scikit-learn's tuple; "
    "refuses a `cv` that splits `groups`"
)
DIFFERENCES = {
    "LeavePOut": "leaves whole groups out where `groups` are given",
    "learning_curve": f"{_CURVE}; scores models fitted on one class, where scorers of scikit-learn may give NaN",
    "validation_curve": _CURVE,
    "pairwise_distances": 'also `metric="gower"` and `"hellinger"`',
    "KNeighborsClassifier": _NEIGHBOURS,
    "KNeighborsRegressor": _NEIGHBOURS,
    "NearestNeighbors": 'also `metric="gower"` and `"hellinger"`; ties by row number; only ball trees use `leaf_size`',
    "export_text": "names levels, dates and fitted column names; trees of scikit-learn as scikit-learn shows them",
    "plot_tree": "draws bars, branches by width and a legend; trees of scikit-learn as scikit-learn shows them",
    "OneVsOneClassifier": "`fit` takes `sample_weight`; probabilities count as votes from ½ on, not from 0",
    "OneVsRestClassifier": "`fit` takes `sample_weight`; one class alone has probabilities of one column",
    "GaussianProcessClassifier": "`kernel` may be text; `kernel_` is computed from `theta_`",
    "GaussianProcessRegressor": "`kernel` may be text; `kernel_` is computed from `theta_`; also `predict_interval`",
    "SelfTrainingClassifier": (
        "columns of any kind; `fit` takes `sample_weight` and missing values as unknown labels; an array of strings is "
        "not refused; `estimator=None` is `NaiveBayes`"
    ),
    "kernels": "a module, all of it borrowed",
    "LinearDiscriminantAnalysis": "`fit` takes `sample_weight`",
    "QuadraticDiscriminantAnalysis": (
        "`fit` takes `sample_weight`; `reg_param` also where a class has fewer rows than columns"
    ),
    **dict.fromkeys(
        ("Perceptron", "SGDClassifier", "SGDRegressor"),
        "with `shuffle`, the order of the rows does not matter and whole weights are repeated rows; intercepts of "
        "sparse matrices move as those of dense ones where a tenth of the values or more are not zero",
    ),
    **dict.fromkeys(
        ("MLPClassifier", "MLPRegressor"),
        "with `shuffle`, the order of the rows does not matter and whole weights are repeated rows; steps are computed "
        "in short floats; a loss that is no number is an error; further activations and solvers",
    ),
    "KMeans": (
        "the order of the rows does not matter and whole weights are repeated rows; k-means++ of many rows starts from "
        "a sample; large sparse matrices as "
        "scikit-learn; `algorithm` has no effect"
    ),
    "MiniBatchKMeans": (
        "its iteration, after which the order of the rows does not matter and whole weights are repeated rows; "
        "`partial_fit` never draws small clusters again"
    ),
    "AgglomerativeClustering": (
        'also `linkage="centroid"`, any distance of Probus, and `cut`; clusters are numbered by their first rows'
    ),
    "silhouette_samples": 'also `metric="gower"` and `"hellinger"`',
    "silhouette_score": 'also `metric="gower"` and `"hellinger"`',
    "DBSCAN": (
        'also `metric="gower"` and `"hellinger"`; `leaf_size` has no effect; weights must not be negative; a dense '
        "matrix of distances has to be symmetric, with zeros on the diagonal"
    ),
    "dbscan": "see `DBSCAN`",
    "GaussianMixture": (
        "`fit` takes `sample_weight`; the order of the rows does not matter; `lower_bound_` is the likelihood of the "
        "result, and the iteration ends before it falls"
    ),
    "cluster": "a module, all of it borrowed",
    **dict.fromkeys(
        (
            "GenericUnivariateSelect",
            "SelectFdr",
            "SelectFpr",
            "SelectFwe",
            "SelectKBest",
            "SelectPercentile",
        ),
        "scores by name, which take nominal columns whole, missing values and `sample_weight`; by default F of "
        "`f_classif` or `f_regression`, as the target is; frames in are frames out",
    ),
    **dict.fromkeys(
        ("mutual_info_classif", "mutual_info_regression"),
        "columns of a frame that have levels are discrete; exact distances also in small classes",
    ),
    "SVC": "`probability=True` stays, without a warning",
    "NuSVC": "`probability=True` stays, without a warning; `class_weight` are factors of the C that ν implies",
    "GradientBoostingClassifier": "`estimators_` is read-only and `init_` a `ZeroRClassifier`",
    "GradientBoostingRegressor": "`estimators_` is read-only and `init_` a `ZeroRRegressor`",
    **dict.fromkeys(
        ("ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor"),
        "`estimators_` is a read-only sequence",
    ),
}


def differences(name: str, theirs: object, ours: object) -> str:
    """How ours differs: further parameters, other defaults, and what the list above says."""
    found = [DIFFERENCES[name]] if name in DIFFERENCES else []
    if callable(theirs) and callable(ours):
        before, after = (inspect.signature(thing).parameters for thing in (theirs, ours))
        more = [f"`{new}`" for new in after if new not in before and after[new].kind is not after[new].VAR_KEYWORD]
        other = [
            f"`{same}={after[same].default!r}`"
            for same in before
            if same in after and repr(before[same].default) != repr(after[same].default)
            if after[same].default is not None
        ]
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in after.values())
        lacking = [f"`{old}`" for old in before if old not in after and not takes_any]
        found += [f"without the parameters {', '.join(lacking)}"] * bool(lacking)
        found += [f"further parameters {', '.join(more)}"] * bool(more)
        found += [f"other defaults {', '.join(other)}"] * bool(other)
    return "; ".join(found) or "–"


def section(shared: str) -> str:
    """The table of one module."""
    theirs, ours = import_module(f"sklearn.{shared}"), import_module(f"probus.{shared}")
    pairs = {name: (getattr(theirs, name), getattr(ours, name)) for name in public_names(theirs)}
    rows = [f"| `{name}` | {differences(name, *pair)} |" for name, pair in pairs.items() if pair[0] is not pair[1]]
    table = ["| ours | differs |", "|---|---|", *rows, ""] if rows else []
    borrowed = ", ".join(f"`{name}`" for name, pair in pairs.items() if pair[0] is pair[1])
    return "\n".join([f"## {shared}", "", *table, *([f"Borrowed: {borrowed}.", ""] if borrowed else [])])


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *map(section, SHARED)])


if __name__ == "__main__":
    PAGE.write_text(page())
