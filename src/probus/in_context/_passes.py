"""A pass of the network: its plan, and the training side computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.in_context._kernel_column import KernelColumn
from probus.in_context._plans import Plan
from probus.parallel import blas_on_one_thread


@dataclass(frozen=True)
class Pass:
    """What new rows need of the training rows.

    Attributes
    ----------
    network : the network on a device.
    plan : the plan of the pass.
    nominal : which of the encoded columns have codes of levels.
    column : the further column of the pass; None where it has none.
    context : the training side of the network.
    """

    network: Any
    plan: Plan
    nominal: np.ndarray
    column: KernelColumn | None
    context: Any

    @classmethod
    def of(
        cls, network: Any, plan: Plan, cells: np.ndarray, nominal: np.ndarray, y: np.ndarray, n_jobs: int | None
    ) -> Pass:
        """The pass over training rows.

        Parameters
        ----------
        network : the network on a device.
        plan : the plan of the pass.
        cells, nominal : all encoded training rows, and which columns have codes of levels.
        y : their targets, codes or numbers.
        n_jobs : the number of threads.

        Returns
        -------
        The pass.
        """
        own, y = cells[plan.rows], plan.targets(y)
        column = None
        if plan.has_further_column(len(nominal)):
            with blas_on_one_thread(True):  # the same sums for any number of threads
                column = KernelColumn.of(own, nominal, y)
        coded, is_nominal = plan.cells(own, nominal), nominal
        if column is not None:
            coded, is_nominal = _joined(coded, column.known), np.append(nominal, False)
        identity = plan.identity[: len(is_nominal)]
        context = network.context(coded, is_nominal, y, len(plan.groups), identity, n_jobs)
        return cls(network, plan, nominal, column, context)

    def outputs(self, cells: np.ndarray, n_jobs: int | None) -> np.ndarray:
        """The outputs of the network for encoded new rows, on so many threads."""
        coded = self.plan.cells(cells, self.nominal)
        if self.column is not None:
            coded = _joined(coded, self.column(cells))
        return self.network.outputs(coded, self.context, n_jobs)


def _joined(cells: np.ndarray, column: np.ndarray) -> np.ndarray:
    return np.column_stack([cells, column.astype(np.float32)])
