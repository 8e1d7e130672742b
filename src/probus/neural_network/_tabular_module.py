"""A network of members on encoded rows in PyTorch, and its losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.special import softmax

from probus.callbacks import Callback
from probus.neural_network._history import TrainingHistory
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._tabular_encoding import Cells, TabularEncoding
from probus.neural_network._torch import load_torch, seeded
from probus.neural_network._training import Training

torch: Any = load_torch("a tabular network")
nn: Any = torch.nn
functional = nn.functional
Module: Any = nn.Module

_AT_ONCE = 2048  # held-out rows


class TabularModule(Module):
    """The network of ``_tabular_weights``; returns the outputs of each member: rows × members × outputs."""

    def __init__(self, weights: Mapping[str, np.ndarray], encoding: TabularEncoding, dropout: float):
        super().__init__()
        for name, values in weights.items():
            setattr(self, name, nn.Parameter(_aligned(values)))
        self.register_buffer("lower", _aligned(encoding.lower), persistent=False)
        self.register_buffer("width", _aligned(encoding.width), persistent=False)
        self.n_hidden = sum(name.startswith("bias") for name in weights)
        self.n_nominal, self.dropout = len(encoding.levels), dropout

    def forward(self, numbers: Any, gone: Any, codes: Any) -> Any:
        """See the class."""
        x = self._input(numbers, gone, codes)
        k, width = self.members.shape
        # the factors of a member are multiplied into the matrix, which is smaller than its rows
        first = (self.members.T[:, :, None] * self.weight_0[:, None]).reshape(width, -1)
        values = torch.addmm(self.bias_0.repeat(k), x, first)
        values = values.view(len(x) * k, -1)
        for layer in range(self.n_hidden):
            if layer:
                values = torch.addmm(getattr(self, f"bias_{layer}"), values, getattr(self, f"weight_{layer}"))
            values = functional.relu(values)
            values = _dropped(values, self.dropout) if self.training else values
        last = values.view(len(x), k, -1).transpose(0, 1)
        return torch.baddbmm(self.head_bias[:, None], last, self.head_weight).transpose(0, 1)

    def _input(self, numbers: Any, gone: Any, codes: Any) -> Any:
        """The embedded rows."""
        parts = [gone]
        if numbers.shape[1]:
            bins = ((numbers[:, :, None] - self.lower) / self.width).clamp(0.0, 1.0)
            embedded = torch.bmm(bins.transpose(0, 1), self.bins).transpose(0, 1)
            embedded = embedded + (numbers[:, :, None] * self.slope + self.shift)
            parts = [embedded.flatten(1), gone]
        tables = (getattr(self, f"levels_{i}") for i in range(self.n_nominal))
        parts += [functional.embedding(codes[:, i], table) for i, table in enumerate(tables)]
        return torch.cat(parts, dim=1)


def _aligned(values: np.ndarray) -> Any:
    """The values in memory of PyTorch: in NumPy's the last digit of a product depends on where it begins."""
    return torch.from_numpy(np.ascontiguousarray(values)).clone()


def _dropped(values: Any, share: float) -> Any:
    """Values of which a share is set to zero, a multiple of 1/256 on a processor, which draws a byte for each."""
    if values.device.type != "cpu":
        return functional.dropout(values, share)
    limit, n = round(256 * share), values.numel()
    if not 0 < limit < 256:
        return values * (limit == 0)
    drawn = torch.empty(-(-n // 8), dtype=torch.int64).random_(-(2**63), None).view(torch.uint8)
    return values * ((drawn[:n].view_as(values) >= limit) * (256.0 / (256 - limit)))


class TabularRows:
    """Rows on a device: cells, targets and weights, of which a network is trained on some and scored on others."""

    def __init__(self, cells: Cells, targets: np.ndarray, weight: np.ndarray | None, device: Any):
        self.cells = [_aligned(each).to(device) for each in (cells.numbers, cells.gone, cells.codes)]
        self.targets = _aligned(targets).to(device)
        self.weight = None if weight is None else _aligned(weight.astype(np.float32)).to(device)
        self.device = device

    def outputs(self, module: Any, rows: Any) -> Any:
        """The outputs for some rows."""
        return module(*(each[rows] for each in self.cells)).float()

    def mean(self, losses: Any, rows: Any) -> Any:
        """The mean over rows, weighted."""
        return losses.mean() if self.weight is None else (losses * self.weight[rows]).mean()


def trained_weights(
    first: Mapping[str, np.ndarray],
    encoding: TabularEncoding,
    rows: TabularRows,
    training: np.ndarray,
    held_out: np.ndarray,
    loss: MemberLoss,
    settings: TrainingSettings,
    dropout: float,
    data: str,
    callbacks: Iterable[Callback],
    memory: dict[str, np.ndarray] | None,
) -> tuple[dict[str, np.ndarray], TrainingHistory, dict[str, np.ndarray]]:
    """The trained weights by name, the history, and what is left for the next steps.

    Without held-out rows training does not stop early. ``memory`` is what an earlier training has left.
    """
    with seeded(settings.seed, rows.device):
        module = TabularModule(first, encoding, dropout).to(rows.device)
        at, held = (torch.from_numpy(each).to(rows.device) for each in (training, held_out))

        def batch_loss(batch: Any) -> Any:
            some = at[batch]
            return rows.mean(loss.of_members(rows.outputs(module, some), rows.targets[some]), some)

        def score() -> float:
            parts = [rows.outputs(module, part).cpu().numpy() for part in held.split(_AT_ONCE)]
            each = loss.of_mean(np.concatenate(parts).astype(np.float64), rows.targets[held].cpu().numpy())
            weight = None if rows.weight is None else rows.weight[held].cpu().numpy().astype(np.float64)
            return -float(np.average(each, weights=weight if weight is not None and weight.any() else None))

        scored = score if len(held_out) else None
        history, left = Training(module, batch_loss, len(training), settings, scored, data).trained(callbacks, memory)
    return {name: each.detach().cpu().numpy().copy() for name, each in module.named_parameters()}, history, left


# -- losses --------------------------------------------------------------------------------------------


class MemberLoss:
    """The loss of each row: the mean of those of the members, in training, and that of their mean."""

    def of_members(self, outputs: Any, targets: Any) -> Any:
        """float[n], from rows × members × outputs."""
        raise NotImplementedError

    def of_mean(self, outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """float[n] in NumPy, of what is predicted: the mean over the members."""
        raise NotImplementedError


class LogLoss(MemberLoss):
    """The log loss of classes, with a share of each target spread over all classes."""

    def __init__(self, smoothing: float):
        self.smoothing = smoothing

    def of_members(self, outputs: Any, targets: Any) -> Any:
        """See ``MemberLoss``."""
        n, k, n_classes = outputs.shape
        labels = targets[:, None].expand(n, k).reshape(-1)
        each = functional.cross_entropy(
            outputs.reshape(-1, n_classes), labels, reduction="none", label_smoothing=self.smoothing
        )
        return each.view(n, k).mean(dim=1)

    def of_mean(self, outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """See ``MemberLoss``."""
        probabilities = softmax(outputs, axis=2).mean(axis=1)
        return -np.log(np.maximum(probabilities[np.arange(len(targets)), targets], 1e-7))


class SquaredError(MemberLoss):
    """The squared error, the mean over the targets."""

    def of_members(self, outputs: Any, targets: Any) -> Any:
        """See ``MemberLoss``."""
        return ((outputs - targets[:, None]) ** 2).mean(dim=(1, 2))

    def of_mean(self, outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """See ``MemberLoss``."""
        return ((outputs.mean(axis=1) - targets) ** 2).mean(axis=1)


class PinballLoss(MemberLoss):
    """The pinball loss of quantiles of one target, the mean over the quantiles."""

    def __init__(self, quantiles: np.ndarray, device: Any):
        self.quantiles = quantiles
        self.on_device = torch.from_numpy(quantiles.astype(np.float32)).to(device)

    def of_members(self, outputs: Any, targets: Any) -> Any:
        """See ``MemberLoss``."""
        residual = targets[:, None] - outputs
        return torch.maximum(self.on_device * residual, (self.on_device - 1.0) * residual).mean(dim=(1, 2))

    def of_mean(self, outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """See ``MemberLoss``."""
        residual = targets - outputs.mean(axis=1)
        return np.maximum(self.quantiles * residual, (self.quantiles - 1.0) * residual).mean(axis=1)
