"""Hyperband: brackets of successive halving, from many configurations with little effort to few with all of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from probus.tuning.halving import Bracket, Halving, rungs, rungs_between
from probus.tuning.tuner import check_count

__all__ = ["Hyperband"]


@dataclass(repr=False)
class Hyperband(Halving):
    r"""Brackets of successive halving that begin with different efforts, each of about the same cost.

    Li et al. (2018), Journal of Machine Learning Research 18. Bracket s = s_max, …, 0 with
    :math:`s_{max} = \lfloor \log_\eta (R / r) \rfloor` begins with :math:`n = \lceil \frac{B}{s + 1} \eta^s \rceil`
    configurations of fidelity :math:`R \eta^{-s}`; rung i keeps :math:`\lfloor n \eta^{-i} \rfloor`.

    Parameters
    ----------
    eta : of that many configurations one goes on, with that many times the effort.
    min_fidelity, max_fidelity : r and R, the least effort and that of a full evaluation; only their ratio matters.
    evaluations_per_bracket : B, the cost of a bracket in full evaluations; by default s_max + 1, as in the paper.
    fidelity : what makes the effort: "auto" (trees or epochs if the model has them, else rows), "rows", "splits", or
        the name of a parameter that counts.
    repeats : how often all brackets are run; None until the budget ends.

    >>> for bracket in Hyperband(eta=4, min_fidelity=1, max_fidelity=64, evaluations_per_bracket=5).brackets():
    ...     print(bracket)
    [(1.0, 80), (4.0, 20), (16.0, 5), (64.0, 1)]
    [(4.0, 27), (16.0, 6), (64.0, 1)]
    [(16.0, 10), (64.0, 2)]
    [(64.0, 5)]
    """

    eta: float = 3
    min_fidelity: float = 1
    max_fidelity: float = 27
    evaluations_per_bracket: int | None = None
    fidelity: str = "auto"
    repeats: int | None = 1

    def brackets(self) -> list[Bracket]:
        """Of each bracket, the fidelity and the number of configurations of its rungs."""
        self._check()
        most = rungs_between(self.min_fidelity, self.max_fidelity, self.eta)
        cost = most + 1 if self.evaluations_per_bracket is None else self.evaluations_per_bracket
        check_count("evaluations_per_bracket", cost)
        begin = [math.ceil(cost * float(self.eta) ** s / (s + 1) - 1e-9) for s in range(most + 1)]
        return [rungs(begin[s], s, self.eta, self.max_fidelity) for s in range(most, -1, -1)]
