"""Hyperband: brackets of successive halving, from many configurations with little effort to few with all of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from probus.parameters import parameter
from probus.tuning._halving import (
    ETA,
    FIDELITY,
    MAX_FIDELITY,
    MIN_FIDELITY,
    REPEATS,
    Bracket,
    Halving,
    rungs,
    rungs_between,
)


@dataclass(repr=False)
class Hyperband(Halving):
    r"""Brackets of successive halving that begin with different efforts, each of about the same cost.

    Li et al. (2018), Journal of Machine Learning Research 18. Bracket s = s_max, …, 0 with
    :math:`s_{max} = \lfloor \log_\eta (R / r) \rfloor` begins with :math:`n = \lceil \frac{B}{s + 1} \eta^s \rceil`
    configurations of fidelity :math:`R \eta^{-s}`; rung i keeps :math:`\lfloor n \eta^{-i} \rfloor`.

    >>> for bracket in Hyperband(eta=4, min_fidelity=1, max_fidelity=64, evaluations_per_bracket=5).brackets():
    ...     print(bracket)
    [(1.0, 80), (4.0, 20), (16.0, 5), (64.0, 1)]
    [(4.0, 27), (16.0, 6), (64.0, 1)]
    [(16.0, 10), (64.0, 2)]
    [(64.0, 5)]
    """

    name = "hyperband"
    eta: float = ETA
    min_fidelity: float = MIN_FIDELITY
    max_fidelity: float = MAX_FIDELITY
    evaluations_per_bracket: int | None = parameter(
        "B, the cost of a bracket in full evaluations; None is s_max + 1, as in the paper.", default=None, at_least=1
    )
    fidelity: str = FIDELITY
    repeats: int | None = REPEATS

    def brackets(self) -> list[Bracket]:
        """Of each bracket, the fidelity and the number of configurations of its rungs."""
        self._check()
        most = rungs_between(self.min_fidelity, self.max_fidelity, self.eta)
        cost = most + 1 if self.evaluations_per_bracket is None else self.evaluations_per_bracket
        begin = [math.ceil(cost * float(self.eta) ** s / (s + 1) - 1e-9) for s in range(most + 1)]
        return [rungs(begin[s], s, self.eta, self.max_fidelity) for s in range(most, -1, -1)]
