"""Training rows added or left out until labels are independent of groups."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from probus.allowed_values import HasMethod, NoneAllowed
from probus.augmentation import RandomOverSampler, Sampler, sampled
from probus.data import Table
from probus.errors import DataError
from probus.fairness._groups import GroupCoder, sensitive_table
from probus.fairness._mitigation import NAMED_SENSITIVE, named_columns
from probus.parameters import attribute, parameter
from probus.pipeline import tabular


class GroupSampler(Sampler):
    """A sampler after which each label has the same share in each group.

    A sampler of classes is applied to the combinations of group and label. It adds rows (``RandomOverSampler``,
    ``SMOTE``) or leaves some out (``RandomUnderSampler``), as few as are needed. The shares of the groups and of the
    labels stay. ``GroupSampler() >> model`` samples training rows only; ``resample`` and the like pass the sensitive
    columns of the task. The model reads these columns where X has them.

    Attributes
    ----------
    sampling_strategy_ : the number of rows of each group and label afterwards.

    Examples
    --------
    >>> X, y = {"sex": list("mmmmffff"), "x": [1, 2, 3, 4, 5, 6, 7, 8]}, [1, 1, 1, 0, 1, 0, 0, 0]
    >>> rows, labels = GroupSampler(sensitive="sex", random_state=0).fit_resample(X, y)
    >>> sorted(zip(rows["sex"], labels.tolist())).count(("m", 0)), len(labels)
    (3, 12)
    """

    sampler: Any = parameter(
        "How rows are added or left out; None is ``RandomOverSampler()``.",
        default=None,
        of=[HasMethod("fit_resample"), NoneAllowed()],
        kw_only=False,
    )
    names_sensitive: ClassVar[bool] = True  # by which ``resample`` and the like know to set it
    sensitive: str | int | list | None = NAMED_SENSITIVE
    sampling_strategy_: dict[str, int] = attribute()

    def __rshift__(self, other: Any) -> Any:
        return sampled(self, tabular(other)) if hasattr(other, "predict") else super().__rshift__(other)

    def fit_resample(self, X: Any, y: Any, sensitive_features: Any = None) -> tuple[Any, np.ndarray]:
        """The rows and labels after sampling; ``sensitive_features`` are the groups where ``sensitive`` names none."""
        table, codes, _ = self._read(X, y)
        sensitive = self._sensitive_of(table, sensitive_features)
        groups, k = GroupCoder.of(sensitive).groups(sensitive), len(self.classes_)
        cells = groups.codes * k + codes
        counts = np.bincount(cells, minlength=len(groups) * k).reshape(len(groups), k)
        if not counts.all():
            group, label = np.argwhere(counts == 0)[0]
            raise DataError(
                f"no row of {groups.name} = {groups.labels[group]} with the label {self.classes_[label]!r}.",
                "rows of each label in each group", "Leave the group out: no sampling gives it that label.",
            )  # fmt: skip
        inner = RandomOverSampler() if self.sampler is None else clone(self.sampler)
        wanted = independent_counts(counts, removes=_removes(inner))
        settings: dict[str, Any] = {"sampling_strategy": dict(enumerate(wanted.ravel().tolist()))}
        if self.random_state is not None:
            settings["random_state"] = self.random_state
        rows, drawn = inner.set_params(**settings).fit_resample(X, cells)
        labels = [f"{group} · {label}" for group in groups.labels for label in self.classes_.tolist()]
        self.sampling_strategy_ = dict(zip(labels, wanted.ravel().tolist(), strict=True))
        return rows, self.classes_[np.asarray(drawn) % k]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> GroupSampler:
        """Check the rows and set ``sampling_strategy_``; ``fit_resample`` does it too."""
        self.fit_resample(X, y, sensitive_features)
        return self

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> Any:
        raise NotImplementedError  # fit_resample is its own

    def _sensitive_of(self, table: Table, sensitive_features: Any) -> Table:
        if self.sensitive is not None:
            return named_columns(table, self.sensitive)
        if sensitive_features is None:
            raise DataError(
                "GroupSampler without a sensitive column.", "sensitive='column', or sensitive_features in fit_resample",
                "resample, tune and study pass those of Task(…, sensitive='column').",
            )  # fmt: skip
        return sensitive_table(sensitive_features, len(table))


def _removes(sampler: Any) -> bool:
    """Whether a sampler leaves rows out: ours, or one of imbalanced-learn."""
    return bool(getattr(sampler, "_removes", getattr(sampler, "_sampling_type", "") == "under-sampling"))


def independent_counts(counts: np.ndarray, *, removes: bool) -> np.ndarray:
    """The numbers of rows under independence of groups and labels, no less than there are, or no more.

    Parameters
    ----------
    counts : int64[G, K], the rows of each group and label, none of them 0.
    removes : whether rows may be left out, instead of added.

    Returns
    -------
    int64[G, K]: a multiple of what independence expects.
    """
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    if removes:
        return np.clip(np.round(expected * (counts / expected).min()), 1, counts).astype(np.int64)
    return np.maximum(np.round(expected * (counts / expected).max()), counts).astype(np.int64)
