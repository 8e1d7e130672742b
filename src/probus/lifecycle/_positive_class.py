"""Which of two classes is likely meant as the positive one, where none was given."""

from __future__ import annotations

import numpy as np

from probus.data import Level, Task

_ONE, _NONE = {"1", "1.0"}, {"0", "0.0", "-1", "-1.0"}  # 1 is positive beside these, not beside 2
_POSITIVE = {
    "yes", "y", "true", "t", "pos", "positive", "+", "present", "case", "event", "success", "malignant",
    "abnormal", "sick", "ill", "diseased", "dead", "died", "fraud", "spam", "churn", "churned", "default", "defaulted",
}  # fmt: skip


def likely_positive(task: Task) -> tuple[Level, str]:
    """The positive class of two, and why: the one with a name of positives, else the rarer one, else the last.

    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["yes", "no", "yes"]}, target="y"))
    ('yes', 'by its name')
    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["bad", "good", "good"]}, target="y"))
    ('bad', 'the rarer one')
    >>> likely_positive(Task({"x": [1.0, 2.0, 3.0], "y": ["1", "2", "1"]}, target="y"))
    ('2', 'the rarer one')
    """
    names = {label: str(label).strip().casefold() for label in task.classes}
    positive = _POSITIVE | (_ONE if _NONE & set(names.values()) else set())
    named = [label for label, name in names.items() if name in positive]
    if len(named) == 1:
        return named[0], "by its name"
    counts = np.bincount(task.table[task.target].values, minlength=2)
    if counts[0] < counts[1]:
        return task.classes[0], "the rarer one"
    return task.classes[1], "the rarer one" if counts[1] < counts[0] else "the last of two equally frequent ones"
