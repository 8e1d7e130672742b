"""The outcomes of the checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Outcome:
    """The outcome of one check, and why it failed or could not run.

    Attributes
    ----------
    estimator, check : the estimator and the check, as text.
    status : "passed", "failed" or "skipped".
    reason : why it failed or could not run.
    """

    estimator: str
    check: str
    status: Literal["passed", "failed", "skipped"]
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.status} {self.estimator}: {self.check}{f': {self.reason}' if self.reason else ''}"


@dataclass(frozen=True, repr=False)
class Conformance:
    """The outcomes of all checks of an estimator.

    Attributes
    ----------
    outcomes : the outcome of each check.

    >>> Conformance((Outcome("Mine()", "one_row", "passed"), Outcome("Mine()", "pickles", "skipped", "no disk")))
    2 checks of Mine(): 1 passed, 0 failed, 1 skipped
      skipped Mine(): pickles: no disk
    """

    outcomes: tuple[Outcome, ...]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The checks that failed."""
        return tuple(outcome for outcome in self if outcome.status == "failed")

    @property
    def skips(self) -> tuple[Outcome, ...]:
        """The checks that could not run, each with its reason."""
        return tuple(outcome for outcome in self if outcome.status == "skipped")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"outcomes": [dict(vars(outcome)) for outcome in self]}

    def __repr__(self) -> str:
        estimators = ", ".join(dict.fromkeys(outcome.estimator for outcome in self))
        n_failed, n_skipped = len(self.failures), len(self.skips)
        head = f"{len(self)} checks of {estimators}: "
        head += f"{len(self) - n_failed - n_skipped} passed, {n_failed} failed, {n_skipped} skipped"
        return "\n  ".join([head, *map(str, self.failures), *map(str, self.skips)])
