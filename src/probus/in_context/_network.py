"""The network in NumPy: the training side of a table, computed once, and outputs for new rows.

The same as ``_torch_network`` in PyTorch, to which tests compare it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import erf

from probus.in_context._blocks import Block, Keys, Perceptron, normalised
from probus.in_context._cell_features import Columns, cell_features
from probus.in_context._kernels import LANES
from probus.parallel import blas_on_one_thread, chunked, thread_count

MOST_CLASSES = 10
LEVELS = (np.arange(64) + 0.5) / 64  # of the quantiles
IDENTITY = 24  # random numbers that distinguish columns
_UNKNOWN_CLASS, _UNKNOWN_NUMBER = MOST_CLASSES, MOST_CLASSES + 1
_SUMMARIES = 3  # extra cells of a row, which become its summary
_AT_ONCE = 4 * LANES  # training rows


@dataclass(frozen=True, eq=False)
class Context:
    """The training side of a table: all that new rows need. Numbers are standardised by ``mean`` and ``deviation``."""

    columns: Columns
    nominal: np.ndarray
    identity: np.ndarray
    log_rows: float
    classes: int  # 0 for numbers
    mean: float
    deviation: float
    keys: list[Keys] = field(default_factory=list)


class Network:
    """The network of some weights.

    Parameters
    ----------
    weights : float32 arrays by name.
    """

    def __init__(self, weights: Mapping[str, np.ndarray]):
        self.embed, self.shift = weights["embed.weight"], weights["embed.bias"]
        self.identity, self.summaries = weights["identity.weight"], weights["summaries"]
        self.mix = Perceptron.of(weights, "mix")
        places = ("cells", "summary", "rows")
        self.classes = {at: weights[f"classes.{at}.weight"] for at in places}
        self.numbers = {at: weights[f"numbers.{at}.weight"] for at in places}
        self.cell_blocks, self.row_blocks = _blocks(weights, "cell_blocks"), _blocks(weights, "row_blocks")
        self.norm, self.widen, self.last = weights["norm.gain"], weights["widen.weight"], weights["last.gain"]
        self.heads = {
            task: (weights[f"{task}_hidden.weight"], weights[f"{task}_out.weight"], weights[f"{task}_out.bias"])
            for task in ("class", "number")
        }

    @property
    def blocks(self) -> list[Block]:
        """All blocks in order."""
        return [*self.cell_blocks, *self.row_blocks]

    def context(
        self, X: np.ndarray, nominal: np.ndarray, y: np.ndarray, classes: int, identity: np.ndarray, n_jobs: int | None
    ) -> Context:
        """The training side of a table.

        Parameters
        ----------
        X, nominal : the cells, float32[n, d] with NaN for missing ones, and which columns have codes of levels.
        y, classes : the targets: codes of so many classes, or numbers and 0.
        identity : float32[d, 24], random numbers.
        n_jobs : the number of threads.

        Returns
        -------
        What new rows need of it.
        """
        n, d = X.shape
        of_target = None if classes else Columns.of(y.astype(np.float32)[:, None])
        mean, deviation = (0.0, 1.0) if of_target is None else (of_target.mean[0], of_target.deviation[0])
        log_rows = math.log(n / 256)
        context = Context(Columns.of(X), nominal, identity, log_rows, classes, float(mean), float(deviation) + 1e-6)
        threads = thread_count(n_jobs, self.operations(n, d, n))
        cells: dict[int, np.ndarray] = {}
        widened: dict[int, np.ndarray] = {}

        def begin(start: int, stop: int) -> None:
            rows = _filled(start, stop, _AT_ONCE)
            target = self._targets(y[rows], of_target)
            cells[start], widened[start] = self._cells(X[rows], context, target), target["rows"]

        def write(start: int, stop: int) -> None:
            if place == len(self.cell_blocks):
                cells[start] = self._rows(cells[start], widened[start])
            block.write_keys(cells[start], keys, start, stop - start)

        def move(start: int, stop: int) -> None:
            moved = block(cells[start], keys, log_rows, self._wanted(place))
            cells[start] = cells[start][: len(moved)]
            cells[start][:] = moved

        with blas_on_one_thread(True):
            chunked(begin, n, threads, chunk=_AT_ONCE)
            for place, block in enumerate(self.blocks):
                keys = block.room_for_keys(n, 1 if block.columns is None else _SUMMARIES + d)
                context.keys.append(keys)
                chunked(write, n, threads, chunk=_AT_ONCE)
                if place + 1 < len(self.blocks):
                    chunked(move, n, threads, chunk=_AT_ONCE)
        return context

    def outputs(self, X: np.ndarray, context: Context, n_jobs: int | None) -> np.ndarray:
        """The outputs for new rows of the table of a context.

        Parameters
        ----------
        X : the cells, float32[n, d].
        context : the training side.
        n_jobs : the number of threads.

        Returns
        -------
        The logits of classes; or 64 quantiles of the arsinh of the standardised number, which may cross.
        """
        n, d = X.shape
        threads = thread_count(n_jobs, self.operations(n, d, context.keys[0][0].shape[1]))

        def some(start: int, stop: int) -> np.ndarray:
            return self._outputs(X[_filled(start, stop, LANES)], context)[: stop - start]

        with blas_on_one_thread(True):
            return np.concatenate(chunked(some, n, threads, chunk=LANES))

    def operations(self, rows: int, columns: int, training: int) -> float:
        """About how many elementary operations it takes to bring rows through the network."""
        total = 0.0
        for block in self.blocks:
            width, cells = len(block.query), 1 if block.columns is None else _SUMMARIES + columns
            own = 4 * width * width + 2 * block.perceptron.up.size + (4 * width * width if block.columns else 0)
            total += 2.0 * cells * (own + 2 * width * training)
        return total * rows

    def bytes_of_keys(self, rows: int, columns: int) -> int:
        """The memory of the keys and values of training rows."""
        cells = [1 if block.columns is None else _SUMMARIES + columns for block in self.blocks]
        return sum(8 * rows * n * len(block.query) for n, block in zip(cells, self.blocks, strict=True))

    def _outputs(self, X: np.ndarray, context: Context) -> np.ndarray:
        target = self._unknown(len(X), context)
        x = self._cells(X, context, target)
        for place, (block, keys) in enumerate(zip(self.blocks, context.keys, strict=True)):
            if place == len(self.cell_blocks):
                x = self._rows(x, target["rows"])
            x = block(x, keys, context.log_rows, self._wanted(place))
        hidden, out, bias = self.heads["class" if context.classes else "number"]
        h = hidden @ normalised(x, self.last)[0]
        h *= 0.5 * (1.0 + erf(h * np.float32(math.sqrt(0.5))))
        found = out @ h + bias[:, None]
        return found[: context.classes or None].T

    def _wanted(self, place: int) -> int | None:
        """How many cells of a row are used after a block: its summaries after the last block of cells."""
        return _SUMMARIES if place + 1 == len(self.cell_blocks) else None

    def _cells(self, X: np.ndarray, context: Context, target: Mapping[str, np.ndarray]) -> np.ndarray:
        """The cells with the summaries of their rows before them: float32[3 + d, width, n]."""
        features = cell_features(X, context.nominal, context.columns)
        x = self.embed @ np.ascontiguousarray(features.transpose(1, 2, 0))
        x += (self.shift + context.identity @ self.identity.T)[:, :, None]
        x += target["cells"].T
        summaries = self.summaries[:, :, None] + target["summary"].T
        return np.concatenate([summaries, self.mix(x)])

    def _targets(self, y: np.ndarray, of_target: Columns | None) -> dict[str, np.ndarray]:
        """The embedded targets of training rows, for each place where they are added."""
        if of_target is None:
            return {at: table[y] for at, table in self.classes.items()}
        features = cell_features(y.astype(np.float32)[:, None], np.zeros(1, bool), of_target)[:, 0]
        return {at: features @ by.T for at, by in self.numbers.items()}

    def _unknown(self, n: int, context: Context) -> dict[str, np.ndarray]:
        """The same for new rows."""
        which = _UNKNOWN_CLASS if context.classes else _UNKNOWN_NUMBER
        return {at: np.broadcast_to(table[which], (n, table.shape[1])) for at, table in self.classes.items()}

    def _rows(self, x: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Summaries become rows: float32[1, row width, n]."""
        summaries = normalised(x[:_SUMMARIES], self.norm)
        return (self.widen @ summaries.reshape(-1, x.shape[2]) + target.T)[None]


def _blocks(weights: Mapping[str, np.ndarray], name: str) -> list[Block]:
    count = len({key.split(".")[1] for key in weights if key.startswith(f"{name}.")})
    return [Block.of(weights, f"{name}.{i}") for i in range(count)]


def _filled(start: int, stop: int, size: int) -> np.ndarray:
    """The rows from start to stop, and the last of them again until there are as many as a block has."""
    return np.minimum(np.arange(start, start + size), stop - 1)
