"""Recurrent networks in PyTorch."""

from __future__ import annotations

from typing import Any

from probus.neural_network._embedding import Embedding, Module, mean_of, nn, torch


class RecurrentModule(Module):
    """Layers that read a sequence forwards and backwards, and a linear layer on what they end with."""

    def __init__(
        self, embedding: Embedding, cell: str, width: int, depth: int, beside: int, n_outputs: int, dropout: float
    ):
        super().__init__()
        made = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        sizes = [width, *[2 * width] * (depth - 1)]
        self.embedding = embedding
        self.forwards = nn.ModuleList(made(size, width, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(made(size, width, batch_first=True) for size in sizes)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(4 * width + beside, n_outputs)

    def forward(self, first: Any, second: Any) -> Any:
        steps, here, beside = self.embedding(first, second)
        steps = self.dropout(steps * here[:, :, None].to(steps.dtype))
        places = torch.arange(here.shape[1], device=here.device)
        lengths = torch.where(here, places + 1, 1).amax(dim=1)
        mirrored = (lengths[:, None] - 1 - places).clamp(min=0)
        for onwards, back in zip(self.forwards, self.backwards, strict=True):
            ahead = onwards(steps)[0]
            behind = _at(back(_at(steps, mirrored))[0], mirrored)
            steps = torch.cat([ahead, behind], dim=2)
        last = torch.cat([_at(ahead, lengths[:, None] - 1)[:, 0], behind[:, 0]], dim=1)
        return self.head(self.dropout(torch.cat([mean_of(steps, here), last, beside.to(steps.dtype)], dim=1)))


def _at(steps: Any, places: Any) -> Any:
    """The steps at some places of each row."""
    return steps.gather(1, places[:, :, None].expand(-1, -1, steps.shape[2]))
