"""What the in-context models have in common: parameters, the choice of training rows, and the passes of the network."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, checked_weights, table_input
from probus.data import Table
from probus.errors import ModelFileError
from probus.in_context._cell_encoding import CellEncoding
from probus.in_context._passes import Pass
from probus.in_context._plans import Plan, member
from probus.in_context._shipped_weights import SHA256, network_on
from probus.neural_network import DEVICE, TrainingRows, counted, own_order
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.state import Array, Many, Object, Spec, String

_KEPT = 800_000_000  # bytes of keys and values: two members of 1,000 rows and 60 columns
_LONG = 60.0  # seconds of a prediction that is announced
_AT_ONCE = 8192  # new rows
_MISSING = -7.5  # in place of a missing value, to sort rows


class InContext(Model):
    """Parent of the in-context models."""

    n_members: int = parameter(
        "The passes of the network that are averaged. They differ in the random numbers that distinguish columns, in "
        "those that stand for levels, in the order of classes, and in the rows where there are more than "
        "``context_size``. For numbers, every second has a further column: what a kernel ridge regression predicts. "
        "Time and memory are proportional to it.",
        default=2,
        at_least=1,
    )
    context_size: int = parameter(
        "The most training rows of a pass. Of more rows each member is given others, drawn at random.",
        default=1000,
        at_least=2,
    )
    max_columns: int = parameter(
        "The most columns that are used. Of more, those most closely related to the target are chosen.",
        default=60,
        at_least=1,
    )
    n_jobs: int | None = N_JOBS
    device: str = DEVICE.but(
        doc='Where the network computes: "cpu", which is NumPy; "cuda" (or "cuda:1") or "mps", which is PyTorch; or '
        '"auto", a GPU if PyTorch is installed and finds one. ``set_params`` can change it after ``fit``.',
        default="cpu",
    )
    random_state: Any = RANDOM_STATE

    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "encoding_": Object(CellEncoding),
        "cells_": Array("f4", "n c"),
        "targets_": Array("f8", "n"),
        "members_": Many(Many(Object(Plan))),
        "weights_sha256_": String(),
    }

    # -- fitting ---------------------------------------------------------------------------------------

    def _fit(self, table: Table, y: np.ndarray, n_classes: int, sample_weight: Any) -> Any:
        """Choose the rows, columns and passes, and compute the training side of each.

        ``y`` has codes of so many classes, or numbers and no classes.
        """
        network_on(self.device)  # refuses a device that is not there
        self.weights_sha256_ = SHA256
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        rows = _resampled(y, checked_weights(sample_weight, y), seed)
        table, y = table.take(rows), self._prepared(y[rows])
        indicators = np.eye(n_classes)[y.astype(np.int64)] if n_classes else y[:, None]
        self.encoding_ = CellEncoding.fitted_to(table, indicators, int(self.max_columns))
        cells = self.encoding_.cells(table)
        filled = np.nan_to_num(cells.astype(np.float64), nan=_MISSING)
        order = own_order(TrainingRows(filled, y[:, None], None))  # the order of rows in X does not matter
        cells, y = cells[order], y[order]
        of_pass = np.arange(len(y)) if n_classes < 2 else y.astype(np.int64)
        most, levels = int(self.context_size), self.encoding_.levels
        members = [
            member(np.random.default_rng([seed, i]), of_pass, n_classes, most, levels, further=i % 2 == 1)
            for i in range(0 if n_classes == 1 else int(self.n_members))
        ]
        used = np.unique(np.concatenate([[0], *(plan.rows for plans in members for plan in plans)])).astype(np.int64)
        place = np.zeros(len(y), np.int32)
        place[used] = np.arange(len(used))
        self.members_ = [[replace(plan, rows=place[plan.rows]) for plan in plans] for plans in members]
        self.cells_, self.targets_ = cells[used], y[used].astype(np.float64)
        self._kept_passes()
        return self

    def _prepared(self, y: np.ndarray) -> np.ndarray:
        """The targets of the training rows as the network takes them; fitted attributes are set."""
        return y

    # -- prediction ------------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> Iterator[tuple[slice, list[list[np.ndarray]]]]:
        """The outputs of the passes of each member, for some rows after the other."""
        check_is_fitted(self)
        table = table_input(self, X, reset=False)
        cells, kept = self.encoding_.cells(table), self._kept_passes()
        started = time.perf_counter()
        for start in range(0, len(cells), _AT_ONCE):
            some = cells[start : start + _AT_ONCE]
            found = []
            for i, plans in enumerate(self.members_):
                passes = kept[i] or [self._pass(plan) for plan in plans]
                found.append([each.outputs(some, self.n_jobs) for each in passes])
            if not start:
                self._announce(len(cells), time.perf_counter() - started)
            yield slice(start, start + len(some)), found

    def _pass(self, plan: Plan) -> Pass:
        """A pass with its training side."""
        y = self.targets_.astype(np.int64) if plan.groups else self.targets_
        return Pass.of(network_on(self.device), plan, self.cells_, self.encoding_.nominal, y, self.n_jobs)

    def _kept_passes(self) -> list[list[Pass] | None]:
        """The passes of the members that there is memory for; they are computed once on a device."""
        network, kept = network_on(self.device), self.__dict__.get("_built")
        if kept is None or kept[0] is not self.members_ or kept[1] is not network:
            room = _KEPT
            passes: list[list[Pass] | None] = []
            for plans in self.members_:
                room -= sum(self._n_bytes(plan) for plan in plans)
                passes.append([self._pass(plan) for plan in plans] if room >= 0 or not passes else None)
            kept = self._built = self.members_, network, passes
        return kept[2]

    def _n_bytes(self, plan: Plan) -> int:
        """The memory that the training side of a pass takes, about."""
        return network_on(self.device).bytes_of_keys(len(plan.rows), len(plan.identity))

    def _announce(self, n: int, seconds: float) -> None:
        """Warn where the prediction of n rows takes long, by the time that the first of them took."""
        left = seconds * (n / _AT_ONCE - 1.0)
        if left > _LONG:
            warnings.warn(
                f"{type(self).__name__} takes about {max(round(left / 60), 1)} more minutes to predict {n:,} rows. "
                "probus.distil(model, X, into='boosting') makes a model that predicts fast.",
                stacklevel=4,
            )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_built"}

    # -- loading ---------------------------------------------------------------------------------------

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the passes belong to the columns, the rows and the weights of this version."""
        if self.weights_sha256_ != SHA256:
            raise ModelFileError(
                f"{type(self).__name__}: fitted with other weights of the network.",
                "those of this version",
                "Load it with the version of probus that saved it, or fit it again.",
            )
        encoding, n = self.encoding_, len(self.cells_)
        d = len(encoding.columns)
        n_levels = encoding.levels[encoding.levels > 0].tolist()
        good = self.cells_.shape[1] == d and n > 0 and not np.isinf(self.cells_).any()
        good = good and hasattr(self, "schema_") and encoding.fits(self.schema_) and np.isfinite(self.targets_).all()
        for plan in (plan for plans in self.members_ for plan in plans):
            good = good and plan.rows.max() < n and len(plan.identity) - d in ((0,) if plan.groups else (0, 1))
            good = good and [len(code) for code in plan.codes] == n_levels
        for values, levels in zip(self.cells_.T, encoding.levels if good else (), strict=False):
            known = values[~np.isnan(values)]
            good = good and (not levels or bool(((known >= 0) & (known < levels) & (known == np.floor(known))).all()))
        if not good:
            raise ModelFileError(f"{type(self).__name__}: the passes do not fit the columns and rows.")


def _resampled(y: np.ndarray, weight: np.ndarray | None, seed: int) -> np.ndarray:
    """The rows of a fit: those of whole weights repeated, others drawn at regular distances along their weights."""
    every = TrainingRows(np.arange(len(y)), y[:, None], weight)
    rows = every if weight is None else counted(every)
    if rows.weight is None:
        return rows.X
    order = np.random.default_rng(seed).permutation(len(rows.X))
    share = np.cumsum(rows.weight[order])
    middles = (np.arange(len(order)) + 0.5) / len(order) * share[-1]
    return rows.X[order[np.minimum(np.searchsorted(share, middles), len(order) - 1)]]


def small(cls: type[Model], **settings: Any) -> Model:
    """A small model for tests."""
    return cls(**{"n_members": 1, "context_size": 64, **settings})
