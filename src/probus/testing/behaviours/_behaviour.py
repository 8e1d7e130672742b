"""The registry of behaviours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from probus.testing._specimen import Specimen


@dataclass(frozen=True)
class Behaviour:
    """A check, and the condition under which it applies to a specimen.

    Attributes
    ----------
    run : the check.
    when : the condition.
    """

    run: Callable[[Specimen], None]
    when: Callable[[Specimen], bool]

    @property
    def name(self) -> str:
        """The function's name."""
        return self.run.__name__


BEHAVIOURS: list[Behaviour] = []


def _always(specimen: Specimen) -> bool:
    return True


def behaviour(when: Callable[[Specimen], bool] = _always) -> Callable[[Callable[[Specimen], None]], Any]:
    """Make a function of a specimen part of the suite.

    Parameters
    ----------
    when : whether a model has the behaviour; a function of the specimen.

    Returns
    -------
    The decorator.
    """

    def register(run: Callable[[Specimen], None]) -> Callable[[Specimen], None]:
        BEHAVIOURS.append(Behaviour(run, when))
        return run

    return register


def refused(action: Callable[[], Any], *words: str) -> None:
    """Assert that the action is a ValueError whose message contains these words, in any case."""
    message = refusal(action)
    assert message is not None, f"nothing was raised; expected a ValueError that contains {', '.join(words)}"
    absent = [word for word in words if word.lower() not in message.lower()]
    assert not absent, f"the message does not contain {absent}: {message}"


def refusal(action: Callable[[], Any]) -> str | None:
    """The message of the ValueError that the action raises; None where it raises nothing."""
    try:
        action()
    except ValueError as error:
        return str(error)
    return None
