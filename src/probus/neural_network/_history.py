"""What was recorded while a network was trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.display import Picture, Result
from probus.display.drawing import BLUE, MUTED, ORANGE, new_axes, tidy
from probus.state import Array, Part, Plain, Spec, String


@dataclass(frozen=True, repr=False)
class TrainingHistory(Result, Part):
    """The epochs of a training.

    Attributes
    ----------
    loss : array, the mean loss of the training rows in each epoch
    validation : array, the score of the validation rows after each epoch; empty without such rows
    learning_rate : array, the step size at the end of each epoch
    best_epoch : int or None, the epoch whose weights were kept, from 1 on; None for the last
    ending : str, why training ended
    """

    loss: np.ndarray
    validation: np.ndarray
    learning_rate: np.ndarray
    best_epoch: int | None
    ending: str

    declared: ClassVar[Mapping[str, Spec]] = {
        "loss": Array("f8", "e"),
        "validation": Array("f8", "v"),
        "learning_rate": Array("f8", "e"),
        "best_epoch": Plain(),
        "ending": String(),
    }

    def plot(self, ax: Any = None) -> Any:
        """The loss and the score of the validation rows over the epochs."""
        ax = new_axes(ax, 6.4, 4.2)
        epochs = np.arange(1, len(self.loss) + 1)
        ax.plot(epochs, self.loss, color=BLUE, linewidth=2.0)
        tidy(ax, "Training", "epoch", "loss of training rows")
        ax.yaxis.label.set_color(BLUE)
        if len(self.validation):
            other = ax.twinx()
            other.plot(epochs[-len(self.validation) :], self.validation, color=ORANGE, linewidth=2.0)
            tidy(other, "", "", "score of validation rows")
            other.grid(False)
            other.spines["left"].set_visible(False)
            other.yaxis.label.set_color(ORANGE)
        if self.best_epoch is not None:
            ax.axvline(self.best_epoch, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
            ax.annotate(
                f" best: epoch {self.best_epoch}", (self.best_epoch, 1.0), xycoords=("data", "axes fraction"),
                va="top", color=MUTED, fontsize=9,
            )  # fmt: skip
        return ax

    def _parts(self) -> Iterable[Any]:
        n = len(self.loss)
        yield f"{n} epoch{'s' * (n != 1)}: {self.ending}"
        if n:
            yield f"  loss {self.loss[0]:.4g} → {self.loss[-1]:.4g}"
            if len(self.validation):
                at = n if self.best_epoch is None else self.best_epoch
                yield f"  validation score {self.validation[at - 1]:.4g} in epoch {at}, whose weights are kept"
            yield Picture(lambda ax: self.plot(ax=ax))

    def _rows(self) -> Any:
        scores = {"validation": self.validation} if len(self.validation) else {}
        epochs = np.arange(1, len(self.loss) + 1)
        return {"epoch": epochs, "loss": self.loss, **scores, "learning_rate": self.learning_rate}
