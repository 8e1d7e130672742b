"""The blocks of the network in PyTorch: those of ``_blocks`` for a batch of tables.

Cells are (B, N, T, width): tables, rows, and the cells of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from probus.neural_network import load_torch

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = load_torch("the in-context network on a GPU")
nn: Any = torch.nn
Module: Any = nn.Module
attention: Any = nn.functional.scaled_dot_product_attention


def linear(inputs: int, outputs: int, *, zero: bool = False) -> Any:
    """A layer without shifts, with weights to begin a training from."""
    layer = nn.Linear(inputs, outputs, bias=False)
    nn.init.normal_(layer.weight, std=0.0 if zero else inputs**-0.5)
    return layer


def attend_to_columns(qkv: Tensor, heads: int) -> Tensor:
    """Attention among the T columns of n rows: (n, T, H·D) from the products (n, T, 3·H·D) with H heads."""
    n, T, E = qkv.shape
    q, k, v = qkv.view(n, T, 3, heads, E // 3 // heads).permute(2, 0, 3, 1, 4)
    return attention(q, k, v).transpose(1, 2).reshape(n, T, E // 3)


class Norm(Module):
    """Division by the root mean square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        z = x.float()
        return (z * torch.rsqrt(z.square().mean(-1, keepdim=True) + 1e-6) * self.gain).to(x.dtype)


class RowAttention(Module):
    """Each cell attends to the cells of its column in the training rows; columns are folded into the heads.

    Scores are multiplied by a learnt function of the logarithm of the number of training rows.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm = heads, Norm(width)
        self.query, self.key, self.value = (linear(width, width) for _ in range(3))
        self.out = linear(width, width, zero=True)
        self.scale, self.slope = nn.Parameter(torch.ones(heads)), nn.Parameter(torch.zeros(heads))

    def _split(self, x: Tensor) -> Tensor:
        B, N, T, width = x.shape
        return x.reshape(B, N, T * self.heads, width // self.heads).transpose(1, 2)

    def keys(self, h: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values of normalised cells."""
        return self._split(self.key(h)), self._split(self.value(h))

    def attend(self, x: Tensor, h: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        """The cells ``x``, normalised ``h``, after they attend to the training rows."""
        scale = (self.scale + self.slope * log_rows).repeat_interleave(x.shape[3] // self.heads)
        query = self._split(self.query(h) * scale.to(h.dtype))
        return x + self.out(attention(query, *keys).transpose(1, 2).reshape(x.shape))


class ColumnAttention(Module):
    """Each cell attends to the cells of its row."""

    def __init__(self, width: int, heads: int, attend: Callable[[Tensor, int], Tensor]) -> None:
        super().__init__()
        self.heads, self.attend, self.norm = heads, attend, Norm(width)
        self.qkv, self.out = linear(width, 3 * width), linear(width, width, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        B, N, T, width = x.shape
        mixed = self.attend(self.qkv(self.norm(x)).view(B * N, T, 3 * width), self.heads)
        return x + self.out(mixed).view(x.shape)


class Perceptron(Module):
    """A hidden layer with a shortcut."""

    def __init__(self, width: int, expansion: int) -> None:
        super().__init__()
        self.norm = Norm(width)
        self.up, self.down = linear(width, expansion * width), linear(expansion * width, width, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return x + self.down(nn.functional.gelu(self.up(self.norm(x)), approximate="tanh"))


class Block(Module):
    """Attention among rows, among columns by ``attend`` unless it is None, and a perceptron."""

    def __init__(
        self, width: int, heads: int, expansion: int, attend: Callable[[Tensor, int], Tensor] | None = None
    ) -> None:
        super().__init__()
        self.rows = RowAttention(width, heads)
        self.columns = nn.Identity() if attend is None else ColumnAttention(width, heads, attend)
        self.perceptron = Perceptron(width, expansion)

    def forward(self, x: Tensor, training: int, log_rows: Tensor) -> Tensor:
        """Training rows and, after them, new rows in one pass, as in training."""
        h = self.rows.norm(x)
        return self._finish(x, h, self.rows.keys(h[:, :training]), log_rows)

    def keys(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values of training rows."""
        return self.rows.keys(self.rows.norm(x))

    def query(self, x: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        """The cells after the block, given the keys and values of the training rows."""
        return self._finish(x, self.rows.norm(x), keys, log_rows)

    def _finish(self, x: Tensor, h: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        return self.perceptron(self.columns(self.rows.attend(x, h, keys, log_rows)))
