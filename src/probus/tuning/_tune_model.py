"""``probus.tune``: search the parameters of a model and fit the best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from probus.arguments import verb
from probus.datasets.source import task_of
from probus.metrics import Scoring
from probus.model_selection import ProgressOption
from probus.tuning._tuned import Tuned
from probus.tuning._tuning_run import checked_model


@verb
def tune(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    space: Any = None,
    tuner: Any = "auto",
    cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    objectives: int = 1,
    time: float | str | None = None,
    evaluations: int | None = None,
    start: Any = None,
    limit: float | str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    archive: Any = None,
    name: str = "tuning",
    progress: ProgressOption = "auto",
    random_state: Any = 0,
    budget: float | str | None = None,
    executor: Any = None,
) -> Tuned:
    """Search the parameters of a model, and fit the best configuration on all rows.

    Ctrl-C, or the end of the time, keeps what is done. With an ``archive``, every finished evaluation is stored at
    once: run the same call again, after whatever has stopped it, and it goes on. With ``evaluations`` it ends exactly
    where it would have ended. Several processes may run the same call on one archive at the same time.

    Parameters
    ----------
    model : an estimator of Probus or any that follows scikit-learn.
    X, y, target : a Task, whose groups, time and weights are respected; features and target; or a table (also a path
        or the name of a bundled data set) and the name of its ``target``.
    groups, sample_weight, pos_label : without a Task, as in ``resample``.
    space, tuner, cv, scoring, objectives, start, limit, n_jobs, progress, random_state : as in ``Tuned``.
    time : seconds of this call, or a span such as "90s" or "5m"; a second call on an archive has them again.
    evaluations : the number of evaluations, those in the archive included.
    archive : a file, which SQLite writes, or the URL of a PostgreSQL database ("postgresql://…"); None is memory.
    name : of the run; one archive may have several.
    budget : the former name of ``time``.
    executor : where fits run, as in ``resample``; ``n_jobs`` is then the number of configurations evaluated at a time.

    Returns
    -------
    The fitted model, with the best configuration and all that was tried.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.spaces import Real, Space
    >>> from sklearn.datasets import load_iris
    >>> tuned = tune(GaussianNB(), *load_iris(return_X_y=True), evaluations=10,
    ...              space=Space({"var_smoothing": Real(1e-9, 1.0, log=True)}), scoring="accuracy")
    >>> tuned.best_score_ >= tuned.archive[0].mean("accuracy")
    True
    """
    checked_model(model)
    task = task_of(X, y, target=target, model=model, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    tuned = Tuned(
        model,
        space=space,
        tuner=tuner,
        cv=cv,
        scoring=scoring,
        objectives=objectives,
        time=time,
        budget=budget,
        evaluations=evaluations,
        start=start,
        limit=limit,
        n_jobs=n_jobs,
        progress=progress,
        random_state=random_state,
    )
    return tuned.fit_task(task, archive=archive, name=name, executor=executor)
