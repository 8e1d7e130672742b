"""Any model on any table: a pipeline with exactly the preprocessing that the model's declaration needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import is_outlier_detector, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, accepts_of, clone
from probus.data import Kinds
from probus.detection import Explanation, explanation_of_table, oddest
from probus.errors import DataError
from probus.pipeline._sequence import Sequence
from probus.pipeline._words_beside import WordsBeside
from probus.preprocessing import (
    AsTable,
    CountWords,
    DateFeatures,
    GowerImputer,
    MinMaxScaler,
    StandardScaler,
    TableEncoder,
    TextFeatures,
    TypedImputer,
)
from probus.wrapping import must_have_tags

_RARE = 20  # rows; chosen as docs/preparation.md describes
_IMPUTERS: dict[str, Any] = {"typed": TypedImputer, "gower": GowerImputer}


def _detects(pipeline: Any) -> bool:
    model = pipeline.steps[-1][1]
    return is_outlier_detector(model) and hasattr(model, "score_samples")


class TabularPipeline(Sequence):
    """What ``tabular`` returns: a ``Sequence`` that also describes what its steps did.

    Parameters
    ----------
    steps : the names and steps, the model last.
    transform_input, memory, verbose : as of scikit-learn's ``Pipeline``.
    """

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name != "steps" and hasattr(self.steps[-1][1], name):
            raise AttributeError(f"a TabularPipeline has no attribute {name!r}: use pipeline[-1].{name}")
        return object.__getattribute__(self, name)  # raises

    @property
    def notes_(self) -> tuple[str, ...]:
        """What the fitted steps made of the columns, as sentences: levels grouped, features of dates and text."""
        check_is_fitted(self)
        return tuple(note for _, step in self.steps if hasattr(step, "notes") for note in step.notes())

    @available_if(_detects)
    def explain(self, X: Any) -> Explanation:
        """Which columns of the table make rows odd, if the model is a detector.

        A column's share is how much ``score_samples`` would rise if its value were the typical one of the training
        rows: the median, or the most frequent level; no text.
        """
        check_is_fitted(self)
        first = self.steps[0][1]
        if len(self.steps) == 1:
            return first.explain(X)
        return explanation_of_table(self[1:].score_samples, first.transform(X), first.typical_)

    @available_if(_detects)
    def top(self, X: Any, n: int = 20) -> Explanation:
        """The oddest rows with their reasons, the oddest first, if the model is a detector."""
        return oddest(self, X, n)


def tabular(
    model: Any, *, kinds: Kinds | None = None, impute: str = "typed", nominal: str = "onehot", text: Any = None
) -> Any:
    """A pipeline that fits the model on a table with columns of any kind, with or without missing values.

    It contains only the steps that the model's declaration (``probus.base.accepts_of``) needs:

    - ``table``: columns matched by name, with the kinds and levels of the training data. Strings that are phrases, and
      different in more than half of the rows, are text unless their kind is set. If the model accepts only
      numbers, nominal levels with fewer than 20 training rows, and fewer than 5 % of them, are grouped as one, "other",
      to which unknown levels of new data belong too. Where most rows have such a level, none are grouped, and the
      column has impact coding;
    - ``dates``: year, month, weekday and hour of each date (``DateFeatures``), and ``text``: scores and topics from the
      words of each text (``TextFeatures``), if it does not accept text;
    - ``impute``: if it does not accept missing values;
    - ``encode``: if it accepts only numbers;
    - ``scale``: to mean 0 and variance 1 if it uses distances, to [0, 1] if it accepts no negative numbers.

    A model of another library than scikit-learn gets the prepared rows as its library takes them: a frame of pandas if
    the data are one, else an array; and XGBoost's classifiers get labels as 0, 1, 2, ….

    For a model that accepts everything the pipeline has no other step. Where a model uses some columns unchanged, as
    ``probus.anomaly.Contextual`` does, the model that it wraps has the steps. All steps are fitted on the training rows
    only; ``notes_`` of the fitted pipeline describes what they did.

    Parameters
    ----------
    model : an estimator, of Probus or any that follows scikit-learn; a tabular pipeline is returned unchanged.
    kinds : the kinds of some columns: ``{"cyl": "nominal", "size": ["S", "M", "L"]}``.
    impute : "typed" (mean or mode) or "gower" (the nearest rows).
    nominal : "onehot" or "impact", see ``TableEncoder``.
    text : what text columns become: ``TextFeatures`` by default, or ``CountWords()`` or ``TfidfWords()``: a column of
        each word, beside the other columns, prepared, as one matrix of numbers.

    Returns
    -------
    The pipeline, unfitted; ``model`` itself where it prepares its own input.

    >>> from probus.data import Table
    >>> from sklearn.svm import SVC
    >>> people = Table.of({"age": [22.0, 38.0, None, 35.0], "sex": ["m", "f", "f", "m"]})
    >>> model = tabular(SVC()).fit(people, ["no", "yes", "yes", "no"])
    >>> list(model.named_steps)
    ['table', 'dates', 'text', 'impute', 'encode', 'scale', 'model']
    >>> model.predict(Table.of({"sex": ["f"], "age": [None]}))
    array(['yes'], dtype='<U3')
    """
    from probus.pipeline._foreign import foreign_libraries, foreign_pipeline  # whose class is a TabularPipeline

    if isinstance(model, TabularPipeline):
        return model
    _check_estimator(model)
    if impute not in _IMPUTERS:
        raise DataError(f"impute={impute!r}.", "one of " + ", ".join(map(repr, _IMPUTERS)))
    if nominal not in ("onehot", "impact"):
        raise DataError(f"nominal={nominal!r}.", "one of 'onehot', 'impact'")
    if isinstance(model, Model) and model.prepared:
        part = tabular(getattr(model, model.prepared), impute=impute, nominal=nominal, text=text)
        model = clone(model).set_params(**{model.prepared: part})
    accepts = accepts_of(model)
    if text is not None:
        _check_text(text)
        accepts = replace(accepts, text=False, nominal=accepts.nominal and not isinstance(text, CountWords))
    steps = _preparation(accepts, impute, nominal, "continuous" if is_regressor(model) else "auto", text)
    if isinstance(text, CountWords):
        sparse = accepts.sparse and not foreign_libraries(model)
        others = Sequence(steps[1:]) if steps[1:] else None
        steps[1:] = [("words", WordsBeside(text, others, sparse_output=sparse, must_have_text=True))]
    if steps or kinds:
        steps.insert(0, ("table", AsTable(kinds, rare=0 if accepts.nominal else _RARE, phrases=not accepts.text)))
    return foreign_pipeline(model, steps) or TabularPipeline([*steps, ("model", model)])


def _preparation(accepts: Accepts, impute: str, nominal: str, target_type: str, text: Any) -> list[tuple[str, Any]]:
    """The steps between the table and the model; none for words, which are beside the others."""
    steps: list[tuple[str, Any]] = []
    if not accepts.text:
        steps.append(("dates", DateFeatures(cyclic=accepts.scaled and not accepts.nominal)))
        if not isinstance(text, CountWords):
            steps.append(("text", text or TextFeatures(target_type=target_type, random_state=0)))
    if not accepts.missing:
        steps.append(("impute", _IMPUTERS[impute]()))
    if not accepts.nominal:
        steps.append(("encode", TableEncoder(nominal, rare=_RARE, target_type=target_type, random_state=0)))
        # a model that accepts levels has its own distance for mixed columns
        if accepts.scaled or not accepts.negative:
            steps.append(("scale", StandardScaler() if accepts.negative else MinMaxScaler(clip=True)))
    return steps


def _check_text(text: Any) -> None:
    if not isinstance(text, (CountWords, TextFeatures)):
        raise DataError(
            f"text={text!r:.60}.", "a transformer of text columns", "Pass CountWords(), TfidfWords() or TextFeatures()."
        )


def _check_estimator(model: Any) -> None:
    if isinstance(model, type):
        raise DataError(f"found the class {model.__name__}.", "an estimator", f"Pass {model.__name__}().")
    if isinstance(model, list):
        raise DataError(
            f"found a list of {len(model)}.", "one estimator", "probus.compare(models, task) takes several."
        )
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise DataError(
            f"found {type(model).__name__} {str(model)[:40]!r}.",
            "an estimator: something with fit, predict and get_params",
            "Pass for example probus.naive_bayes.NaiveBayes().",
        )
    must_have_tags(model)
