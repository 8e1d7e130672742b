"""The families of models that a study tries: one model of each, simplest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from sklearn.base import is_regressor

from probus.data import Kind, Task
from probus.display import listed
from probus.errors import DataError
from probus.wrapping import named_models

BASELINE = "Zero-R"
_KEYS = {
    "bayes": ("Naive Bayes",), "linear": ("Logistic regression", "Ridge regression", "Elastic net"), "tree": ("Tree",),
    "neighbors": ("Nearest neighbours",), "svm": ("SVM",), "forest": ("Random forest",), "boosting": ("Boosting",),
    "net": ("Network",), "glass": ("Glass box",), "context": ("In-context network",),
}  # fmt: skip
_OTHERS = {
    "boosting": "xgboost lightgbm catboost xgb lgbm lgb gbm gbdt gb hgb adaboost histgradientboosting",
    "forest": "rf randomforest randomforestclassifier randomforestregressor extra_trees et ranger",
    "neighbors": "knn k-nn kneighbors neighbours nn",
    "tree": "dt cart rpart decision_tree decisiontree",
    "linear": "lr logistic logreg logisticregression ridge lasso glm elasticnet ols linear_model",
    "bayes": "nb naive_bayes naivebayes gnb gaussiannb",
    "svm": "svc svr linearsvc kernel",
    "net": "neural neural_network mlp tabm tabnet tabularnet pytorch torch",
    "context": "in_context incontext in-context icl pfn tabpfn tabicl prior_fitted foundation",
    "glass": "ebm explainable explainableboosting glassbox glass_box gam ga2m interpret",
}
_RARE = 20  # training rows
_NEIGHBOURS = 15
_FEW_CELLS = 2_000_000  # rows × columns
_LONG = 600.0  # seconds, in which a network may be tried
_MINUTE, _ROWS_A_SECOND = 60.0, 100  # with which a glass box is tried
_MOST_CONTEXT_ROWS, _CONTEXT_ROWS_A_SECOND = 1_250, 4  # with which an in-context network is tried
_STRONG = (BASELINE, "Boosting", "Random forest", "Logistic regression", "Ridge regression")
_BY_COST = (
    BASELINE, "Naive Bayes", "Ridge regression", "Logistic regression", "Nearest neighbours", "Elastic net", "SVM",
    "Tree", "Random forest", "Boosting", "In-context network", "Glass box", "Network",
)  # fmt: skip


def families(
    kind: str,
    chosen: Iterable[str] | Mapping[str, Any] | None = None,
    n_rows: int | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """A model for each family, by the names they are reported under, simplest first; the first is the baseline.

    Each is wrapped by ``tabular``, so that it takes the table unchanged. Linear models of the package are given
    features within the range of the training rows: beyond it they would extrapolate without bounds, and a single odd
    row would outweigh all others. The tree is given the mean target of levels in columns where most are rare: with
    hundreds of levels to choose from, its first split would fit the training rows by chance.

    The network takes about a hundred times as long as boosting. It is tried where it is named, or where PyTorch is
    installed and the study has ten minutes or more, and a second for each row.

    The glass box is tried where it is named, or where the study has a minute or more, and a second for each hundred
    rows: shorter ones lose no time to it.

    The in-context network is tried where it is named, or up to 1,250 rows, of which five folds have 1,000 for training,
    where the study has half a minute or more, and a second for each four rows. On larger tables it was not measured.

    Parameters
    ----------
    kind : "classification" or "regression".
    chosen : the families to try by name; or estimators, in a list or by name, which are tried instead; None for all.
    n_rows : the number of rows of the table, of which nearest neighbours use at most a quarter; None for many.
    seconds : the time of the study; None for no limit.

    >>> list(families("regression", ["forest", "Ridge regression"]))
    ['Zero-R', 'Ridge regression', 'Random forest']
    """
    from probus.pipeline import tabular

    if not (chosen is None or isinstance(chosen, str | Mapping)):
        chosen = list(chosen)
        chosen = named_models(chosen) if any(hasattr(each, "fit") for each in chosen) else chosen
    k = _NEIGHBOURS if n_rows is None else max(min(_NEIGHBOURS, n_rows // 4), 1)  # two folds, each split in two again
    known = _classifiers(k) if kind == "classification" else _regressors(k)
    if isinstance(chosen, Mapping):
        wanted = {str(name): model for name, model in chosen.items()}
        if not wanted:
            raise DataError("no models.", "at least one estimator by name")
        first = {} if BASELINE in wanted else {BASELINE: known[BASELINE]}
        known = {**first, **wanted}
    elif chosen is None:
        known = known if _has_time_for_network(n_rows, seconds) else _without("net", known)
        known = known if _has_time_for_glass_box(n_rows, seconds) else _without("glass", known)
        known = known if _suits_in_context(n_rows, seconds) else _without("context", known)
    else:
        words = [word.strip() for word in chosen.split(",")] if isinstance(chosen, str) else list(chosen)
        names = [BASELINE, *named_families(words, list(known), kind)]
        known = {name: model for name, model in known.items() if name in names}
        if "Network" in known:
            from probus.neural_network import load_torch

            load_torch("the family 'net'")
    if isinstance(chosen, Mapping):
        return {name: tabular(model) for name, model in known.items()}
    return {name: _PREPARED.get(name, tabular)(model) for name, model in known.items()}


def _has_time_for_network(n_rows: int | None, seconds: float | None) -> bool:
    """Whether a study tries the network that is not named."""
    from probus.neural_network import pytorch_is_installed

    enough = seconds is not None and n_rows is not None and seconds >= max(_LONG, n_rows)
    return enough and pytorch_is_installed()


def _has_time_for_glass_box(n_rows: int | None, seconds: float | None) -> bool:
    """Whether a study tries the glass box that is not named."""
    return seconds is not None and n_rows is not None and seconds >= max(_MINUTE, n_rows / _ROWS_A_SECOND)


def _suits_in_context(n_rows: int | None, seconds: float | None) -> bool:
    """Whether a study tries the in-context network that is not named."""
    if seconds is None or n_rows is None or n_rows > _MOST_CONTEXT_ROWS:
        return False
    return seconds >= max(_MINUTE / 2, n_rows / _CONTEXT_ROWS_A_SECOND)


def _without(key: str, models: dict[str, Any]) -> dict[str, Any]:
    return {name: model for name, model in models.items() if name not in _KEYS[key]}


def strong_first(names: Iterable[str]) -> list[str]:
    """The order in which families are tuned: the baseline, those that win most often, the others."""
    names = list(names)
    return [name for name in _STRONG if name in names] + [name for name in names if name not in _STRONG]


def cheapest_first(names: Iterable[str]) -> list[str]:
    """The order in which families have their first turn: by the time that their defaults take on a few rows.

    Measured on 300 to 1,000 rows of 16 columns, for numbers, two classes and 26. The glass box comes last, so that it
    takes no time from others where that is short. Models of one's own come in the order in which they were given.

    >>> cheapest_first(["Boosting", "my model", "Tree", "Ridge regression"])
    ['my model', 'Ridge regression', 'Tree', 'Boosting']
    """
    return sorted(names, key=lambda name: _BY_COST.index(name) if name in _BY_COST else 0)


def quick_families(models: Mapping[str, Any], task: Task) -> list[str]:
    """The models that need no other process, since their first fits take less time than one needs to start.

    Of a large table, or of text, only the baseline does.
    """
    from probus.dummy import ZeroRClassifier, ZeroRRegressor
    from probus.linear_model import LogisticRegression, Ridge
    from probus.naive_bayes import NaiveBayes
    from probus.pipeline import tabular

    quick: list[type] = [ZeroRClassifier, ZeroRRegressor]
    text = any(task.table[name].kind is Kind.TEXT for name in task.features)
    if len(task) * len(task.features) <= _FEW_CELLS and not text:
        quick += [LogisticRegression, Ridge, NaiveBayes]
    found = [name for name, model in models.items() if type(tabular(model).steps[-1][1]) in quick]
    return cheapest_first(found)


def averaging(model: Any) -> str | None:
    """The parameter of how many models boosting averages, where it is one; None of other models.

    >>> [averaging(model) for model in families("regression", ["tree", "boosting"]).values()]
    [None, None, 'model__n_models']
    """
    from probus.ensemble import BoostingClassifier, BoostingRegressor
    from probus.pipeline import tabular

    name, last = tabular(model).steps[-1]
    single = isinstance(last, BoostingClassifier | BoostingRegressor) and last.n_models == 1
    return f"{name}__n_models" if single else None


def is_tuned(model: Any) -> bool:
    """Whether a study tunes a model of its families: not a glass box, which chooses its rounds and pairs itself.

    Its readable form is what it is for; the time goes to the others.
    """
    from probus.ensemble.glass_box import GlassBox
    from probus.pipeline import tabular

    return not isinstance(tabular(model).steps[-1][1], GlassBox)


def named_families(words: list[str], known: list[str], kind: str) -> list[str]:
    """The families meant by words: a key or a reported name, in letters of any case."""
    keys = {key: found for key, names in _KEYS.items() if (found := [name for name in names if name in known])}
    meant = {**{name.lower(): [name] for name in known}, **keys}
    if not words:
        raise DataError("no models.", "at least one of " + ", ".join(keys))
    elsewhere = {*_KEYS, *(name.lower() for names in _KEYS.values() for name in names)} - {*meant}
    for word in words:
        if str(word).lower() in elsewhere:
            other, target = ("numbers", "classes") if kind == "classification" else ("classes", "numbers")
            raise DataError(f"{word!r} predicts {other}, and the target is {target}.", "one of " + ", ".join(keys))
        if str(word).lower() not in meant:
            near = get_close_matches(str(word).lower(), meant, 2)
            hint = f"Did you mean {listed(map(repr, near), 'or')}?" if near else ""
            hint = _other_word(str(word).lower()) or hint
            raise DataError(f"no family of models {word!r}.", "one of " + ", ".join(keys), hint)
    return [name for word in words for name in meant[str(word).lower()]]


def _other_word(word: str) -> str:
    """The hint for what other libraries call a family, or for one of their models."""
    ours = next((key for key, others in _OTHERS.items() if word in others.split()), None)
    if ours is None:
        return ""
    foreign = {
        "xgboost": "XGBClassifier()",
        "lightgbm": "LGBMClassifier()",
        "catboost": "CatBoostClassifier(verbose=0)",
    }
    own = f"Use {ours!r}"
    return (
        f"{own}, or models={{{word!r}: {foreign[word]}}} for the model of that library."
        if word in foreign
        else f"{own}."
    )


def _classifiers(k: int) -> dict[str, Any]:
    from probus.dummy import ZeroRClassifier
    from probus.ensemble import BoostingClassifier, ExplainableBoostingClassifier, RandomForestClassifier
    from probus.in_context import InContextClassifier
    from probus.linear_model import LogisticRegression
    from probus.naive_bayes import NaiveBayes
    from probus.neighbors import KNeighborsClassifier
    from probus.neural_network import TabularNetClassifier
    from probus.svm import SVC
    from probus.tree import DecisionTreeClassifier

    return {
        BASELINE: ZeroRClassifier(),
        "Naive Bayes": NaiveBayes(),
        "Logistic regression": LogisticRegression(),
        "Tree": _pruned(DecisionTreeClassifier, "brier"),
        "Glass box": ExplainableBoostingClassifier(random_state=0),
        "Nearest neighbours": KNeighborsClassifier(k, metric="gower"),
        "SVM": SVC(probability=True, random_state=0),
        "Random forest": RandomForestClassifier(random_state=0),
        "Boosting": BoostingClassifier(random_state=0),
        "In-context network": InContextClassifier(random_state=0, n_jobs=1),
        "Network": TabularNetClassifier(random_state=0, n_jobs=1),
    }


def _regressors(k: int) -> dict[str, Any]:
    from sklearn.compose import TransformedTargetRegressor

    from probus.dummy import ZeroRRegressor
    from probus.ensemble import BoostingRegressor, ExplainableBoostingRegressor, RandomForestRegressor
    from probus.in_context import InContextRegressor
    from probus.linear_model import ElasticNetCV, Ridge
    from probus.neighbors import KNeighborsRegressor
    from probus.neural_network import TabularNetRegressor
    from probus.preprocessing import StandardScaler
    from probus.svm import SVR
    from probus.tree import DecisionTreeRegressor

    return {
        BASELINE: ZeroRRegressor(),
        "Ridge regression": Ridge(),
        "Elastic net": ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9, 1.0]),
        "Tree": _pruned(DecisionTreeRegressor, "squared_error"),
        "Glass box": ExplainableBoostingRegressor(random_state=0),
        "Nearest neighbours": KNeighborsRegressor(k, metric="gower"),
        "SVM": TransformedTargetRegressor(SVR(), transformer=StandardScaler()),  # C and epsilon are in its units
        "Random forest": RandomForestRegressor(random_state=0),
        "Boosting": BoostingRegressor(random_state=0),
        "In-context network": InContextRegressor(random_state=0, n_jobs=1),
        "Network": TabularNetRegressor(random_state=0, n_jobs=1),
    }


def _within_range(model: Any) -> Any:
    """The pipeline with a step before scaling that moves what is out of the range of the training rows to its end."""
    from probus.pipeline import tabular
    from probus.preprocessing import MinMaxScaler

    wrapped = tabular(model)
    steps = list(wrapped.steps)
    place = [name for name, _ in steps].index("scale")
    return type(wrapped)([*steps[:place], ("range", MinMaxScaler(clip=True)), *steps[place:]])


def _without_rare_levels(model: Any) -> Any:
    """The pipeline with a step before the model that encodes columns by the target where most levels are rare."""
    from probus.pipeline import tabular
    from probus.preprocessing import TableEncoder

    wrapped = tabular(model)
    target_type = "continuous" if is_regressor(model) else "auto"
    encode = TableEncoder("keep", rare=_RARE, target_type=target_type, random_state=0)
    return type(wrapped)([*wrapped.steps[:-1], ("encode", encode), wrapped.steps[-1]])


def _pruned(tree: type, loss: str) -> Any:
    """Such a tree, of the size that has the least cross-validated loss of its probabilities or numbers.

    By the number of errors a tree of a rare class would lose all its leaves, and within a standard error of the best it
    would be smaller than scores demand: on the tables of ``research.space_gains`` that judge, ROC AUC was 0.839 in
    the mean, and is 0.875.

    Surrogates, because a split on a column of many levels then sends unseen levels by other features, where "learn"
    would send them all to one side.
    """
    from probus.tree import CostComplexityCV

    return CostComplexityCV(tree(missing="surrogate", min_samples_leaf=5), rule="min", loss=loss, random_state=0)


_PREPARED = {**dict.fromkeys(_KEYS["linear"], _within_range), "Tree": _without_rare_levels}
