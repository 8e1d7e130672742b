"""A residual network of convolutions in PyTorch."""

from __future__ import annotations

from typing import Any

from probus.neural_network._residual_shape import ResidualShape
from probus.neural_network._torch import load_torch

torch: Any = load_torch("a convolutional network")
nn: Any = torch.nn
functional = nn.functional
Module: Any = nn.Module


class _Norm(nn.BatchNorm2d):
    """Normalisation over a batch; of a single number by the running mean and variance."""

    def forward(self, X: Any) -> Any:
        if self.training and X.numel() == X.shape[1]:
            return functional.batch_norm(X, self.running_mean, self.running_var, self.weight, self.bias)
        return super().forward(X)


class _Convolution(Module):
    """A convolution and a normalisation."""

    def __init__(self, before: int, after: int, kernel: tuple[int, int], stride: tuple[int, int]):
        super().__init__()
        padding = (kernel[0] // 2, kernel[1] // 2)
        self.conv = nn.Conv2d(before, after, kernel, stride, padding, bias=False)
        self.norm = _Norm(after)
        nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, X: Any) -> Any:
        return self.norm(self.conv(X))


class _Block(Module):
    """Two convolutions, whose result is added to the input."""

    def __init__(self, before: int, after: int, kernel: tuple[int, int], stride: tuple[int, int]):
        super().__init__()
        self.first = _Convolution(before, after, kernel, stride)
        self.second = _Convolution(after, after, kernel, (1, 1))
        same = before == after and stride == (1, 1)
        self.shortcut = nn.Identity() if same else _Convolution(before, after, (1, 1), stride)
        nn.init.zeros_(self.second.norm.weight)  # a block begins as the identity

    def forward(self, X: Any) -> Any:
        return functional.relu(self.shortcut(X) + self.second(functional.relu(self.first(X))))


class ConvolutionModule(Module):
    """A convolution, residual blocks, the mean over the image, and a linear layer."""

    def __init__(self, shape: ResidualShape, dropout: float):
        super().__init__()
        self.stem = _Convolution(shape.image[2], shape.blocks[0].before, shape.kernel, (1, 1))
        self.blocks = nn.ModuleList(_Block(each.before, each.after, shape.kernel, each.stride) for each in shape.blocks)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(shape.blocks[-1].after, shape.n_outputs)

    def forward(self, X: Any) -> Any:
        X = functional.relu(self.stem(X))
        for block in self.blocks:
            X = block(X)
        return self.head(self.dropout(X.mean(dim=(2, 3))))
