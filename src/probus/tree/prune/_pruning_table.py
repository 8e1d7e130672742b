"""The table from which the penalty per leaf is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from probus.display import Cells, Notes, Part, Result, drawing

Rule = Literal["1se", "min"]

_ROWS_SHOWN = 12


def chosen_row(rule: Rule, risk: np.ndarray, se: np.ndarray) -> int:
    """The last row, of the smallest tree, whose risk is the least ("min") or within a standard error of it ("1se").

    >>> chosen_row("1se", np.array([0.20, 0.15, 0.17, 0.40]), np.array([0.03, 0.03, 0.03, 0.04]))
    2
    """
    least = int(risk.argmin())
    allowed = se[least] if rule == "1se" else 0.0
    ties = 1e-12 * risk[least]  # risks that differ by rounding are equal
    return int(np.flatnonzero(risk <= risk[least] + allowed + ties)[-1])


@dataclass(frozen=True, eq=False, repr=False)
class PruningTable(Result):
    """The optimal tree for each penalty per leaf with its cross-validated risk: rpart's cp table, alphas ascending.

    alphas : the penalty at which each tree becomes optimal. n_leaves : its leaves. train_risk : its mean loss on the
    training rows. cv_risk, cv_se : its cross-validated loss and standard error. chosen : the selected row.
    """

    alphas: np.ndarray
    n_leaves: np.ndarray
    train_risk: np.ndarray
    cv_risk: np.ndarray
    cv_se: np.ndarray
    chosen: int

    @property
    def least(self) -> int:
        """The row with the smallest cross-validated risk, the smallest tree in case of ties."""
        return chosen_row("min", self.cv_risk, self.cv_se)

    @property
    def limit(self) -> float:
        """One standard error above the smallest risk: the limit of the one-standard-error rule."""
        return float(self.cv_risk[self.least] + self.cv_se[self.least])

    def __len__(self) -> int:
        return len(self.alphas)

    def _parts(self) -> list[Part]:
        start = min(max(0, self.chosen - _ROWS_SHOWN // 2), max(0, len(self) - _ROWS_SHOWN))
        rows = [("alpha", "leaves", "training", "cross-validated", "")]
        for k in range(start, min(start + _ROWS_SHOWN, len(self))):
            marks = [word for word, row in (("least", self.least), ("chosen", self.chosen)) if row == k]
            risk = f"{self.cv_risk[k]:.4g} ± {self.cv_se[k]:.3g}"
            leaves, training = f"{self.n_leaves[k]:,}", f"{self.train_risk[k]:.4g}"
            rows.append((f"{self.alphas[k]:.4g}", leaves, training, risk, ", ".join(marks)))
        hidden = len(self) - len(rows) + 1
        return [Cells(rows, right=range(4)), Notes([f"… and {hidden:,} more: see to_frame()"] if hidden else [])]

    def _rows(self) -> dict[str, np.ndarray]:
        """A row for each tree."""
        columns = {name: getattr(self, name) for name in ("n_leaves", "train_risk", "cv_risk", "cv_se")}
        return {"alpha": self.alphas, **columns, "chosen": np.arange(len(self)) == self.chosen}

    def plot(self, ax: Any = None) -> Any:
        """Risk by number of leaves, with the one-standard-error limit and the chosen tree, on matplotlib axes."""
        ax = drawing.new_axes(ax, 6.0, 4.0)
        if self.n_leaves.max() > 30:
            ax.set_xscale("log")
        ax.plot(self.n_leaves, self.train_risk, color=drawing.MUTED, linewidth=1.2, label="training")
        low, high = self.cv_risk - self.cv_se, self.cv_risk + self.cv_se
        ax.fill_between(self.n_leaves, low, high, color=drawing.BLUE, alpha=0.16, linewidth=0)
        ax.plot(self.n_leaves, self.cv_risk, color=drawing.BLUE, linewidth=1.8, label="cross-validated, ± 1 SE")
        ax.axhline(self.limit, color=drawing.ORANGE, linestyle="--", linewidth=1, label="least risk + 1 SE")
        point = self.n_leaves[self.chosen], self.cv_risk[self.chosen]
        leaves = f"{point[0]:,} {'leaf' if point[0] == 1 else 'leaves'}"
        ax.plot(*point, "o", color=drawing.ORANGE, label=f"chosen: {leaves}, α = {self.alphas[self.chosen]:.3g}")
        drawing.tidy(ax, "Cost-complexity pruning", "leaves", "risk")
        ax.legend(frameon=False, fontsize=9, labelcolor=drawing.INK)
        return ax
