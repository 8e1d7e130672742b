"""Transformers in PyTorch: an encoder, and what is put on it."""

from __future__ import annotations

from typing import Any

from probus.neural_network._embedding import Embedding, Module, mean_of, nn, torch
from probus.neural_network._transformer_outputs import EncoderShape, position_coding

functional = nn.functional


class _Layer(Module):
    """Attention, and two linear layers; each is added to its input, which is normalised first."""

    def __init__(self, shape: EncoderShape, dropout: float):
        super().__init__()
        width = shape.width
        self.heads, self.rate = shape.heads, dropout
        self.attention_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, steps: Any, here: Any) -> Any:
        rows, length, width = steps.shape
        parts = self.attention(self.attention_norm(steps)).view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        rate = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, here[:, None, None, :], dropout_p=rate)
        steps = steps + self.dropout(self.mix(mixed.transpose(1, 2).reshape(rows, length, width)))
        return steps + self.dropout(self.narrow(functional.gelu(self.wide(self.norm(steps)))))


class Encoder(Module):
    """Steps and their places as vectors, and layers of attention."""

    def __init__(self, shape: EncoderShape, dropout: float):
        super().__init__()
        self.embedding = Embedding(shape.n_pieces, shape.channels, shape.width)
        self.second = nn.Parameter(torch.zeros(shape.width)) if shape.n_pieces else None
        self.layers = nn.ModuleList(_Layer(shape, dropout) for _ in range(shape.depth))
        self.norm, self.dropout = nn.LayerNorm(shape.width), nn.Dropout(dropout)
        self.width = shape.width

    def forward(self, first: Any, second: Any) -> tuple[Any, Any, Any]:
        """The vectors of the steps, which of them are there, and the numbers beside."""
        steps, here, beside = self.embedding(first, second)
        coding = torch.from_numpy(position_coding(steps.shape[1], self.width))
        steps = steps + coding.to(steps.device, steps.dtype)
        if self.second is not None:
            ends = (first[:, : steps.shape[1]] == 3).long()
            steps = steps + ((ends.cumsum(dim=1) - ends) > 0)[:, :, None].to(steps.dtype) * self.second
        looked_at = here.clone()
        looked_at[:, 0] = True  # a row of nothing looks at its first step
        steps = self.dropout(steps)
        for layer in self.layers:
            steps = layer(steps, looked_at)
        return self.norm(steps), here, beside


class TransformerModule(Module):
    """An encoder, and a linear layer on the first step and the mean of all."""

    def __init__(self, shape: EncoderShape, beside: int, n_outputs: int, dropout: float):
        super().__init__()
        self.encoder = Encoder(shape, dropout)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(2 * shape.width + beside, n_outputs)

    def forward(self, first: Any, second: Any) -> Any:
        steps, here, beside = self.encoder(first, second)
        return self.head(self.dropout(torch.cat([steps[:, 0], mean_of(steps, here), beside.to(steps.dtype)], dim=1)))


class LanguageModule(Module):
    """An encoder that guesses pieces, and whether the second text followed the first."""

    def __init__(self, shape: EncoderShape, dropout: float):
        super().__init__()
        self.encoder = Encoder(shape, dropout)
        self.mix, self.norm = nn.Linear(shape.width, shape.width), nn.LayerNorm(shape.width)
        self.bias = nn.Parameter(torch.zeros(shape.n_pieces))
        self.follows = nn.Linear(shape.width, 2)

    def forward(self, pieces: Any, places: Any) -> tuple[Any, Any]:
        """The weights of the pieces at some places (row and step of each), and of the second text."""
        steps, _, _ = self.encoder(pieces, pieces.new_zeros((len(pieces), 0), dtype=self.bias.dtype))
        mixed = self.norm(functional.gelu(self.mix(steps[places[0], places[1]])))
        return mixed @ self.encoder.embedding.layer.weight.T + self.bias, self.follows(steps[:, 0])
