"""The network on a GPU: it has the methods of ``_network.Network``, and computes in PyTorch with single precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from probus.in_context import _cell_features
from probus.in_context._torch_cell_features import Columns
from probus.in_context._torch_network import SUMMARIES, Context, TorchNetwork
from probus.neural_network import load_torch, without_tf32

torch: Any = load_torch("the in-context network on a GPU")


class DeviceNetwork:
    """The network of some weights on a device of PyTorch.

    Parameters
    ----------
    weights : float32 arrays by name.
    device : the device.
    """

    def __init__(self, weights: Mapping[str, np.ndarray], device: Any):
        with torch.device("meta"):  # draws no weights to begin from
            self.module = TorchNetwork()
        self.module.load_state_dict({name: torch.from_numpy(each) for name, each in weights.items()}, assign=True)
        self.module.to(device).eval()
        self.device = device

    def context(
        self, X: np.ndarray, nominal: np.ndarray, y: np.ndarray, classes: int, identity: np.ndarray, n_jobs: int | None
    ) -> Context:
        """The training side of a table.

        Parameters
        ----------
        X, nominal : the cells, float32[n, d] with NaN for missing ones, and which columns have codes of levels.
        y, classes : the targets: codes of so many classes, or numbers and 0.
        identity : float32[d, 24], random numbers.
        n_jobs : not used on a GPU.

        Returns
        -------
        What new rows need of it.
        """
        target = y.astype(np.int64 if classes else np.float32)
        context = Context(
            self._columns(X), self._sent(nominal), self._sent(identity[None]),
            log_rows=torch.full((), math.log(len(X) / 256), device=self.device),
            count=torch.full((1,), classes, device=self.device) if classes else None,
            of_target=None if classes else self._columns(target[:, None]),
        )  # fmt: skip
        with without_tf32():
            self.module.add_keys(self._sent(X), self._sent(target), context)
        return context

    def outputs(self, X: np.ndarray, context: Context, n_jobs: int | None) -> np.ndarray:
        """The outputs for new rows of the table of a context.

        Parameters
        ----------
        X : the cells, float32[n, d].
        context : the training side.
        n_jobs : not used on a GPU.

        Returns
        -------
        The logits of classes; or 64 quantiles of the arsinh of the standardised number, which may cross.
        """
        with without_tf32():
            found = self.module.predict(self._sent(X), context)[0].cpu().numpy()
        return found if context.count is None else found[:, : int(context.count)]

    def bytes_of_keys(self, rows: int, columns: int) -> int:
        """The memory of the keys and values of training rows."""
        s = self.module.settings
        numbers = s.blocks * (SUMMARIES + columns) * s.width + s.row_blocks * s.row_width
        return 8 * rows * numbers

    def _columns(self, X: np.ndarray) -> Columns:
        """What cells are compared with; its sums are of double precision, which some devices lack."""
        found = _cell_features.Columns.of(X)
        mean, deviation = (self._sent(each.astype(np.float32)[None]) for each in (found.mean, found.deviation))
        return Columns(mean, deviation, self._sent(found.count[None]), self._sent(found.ordered.T))

    def _sent(self, array: np.ndarray) -> Any:
        """An array on the device, as that of one table."""
        return torch.tensor(np.ascontiguousarray(array), device=self.device)[None]
