"""The layers of a residual network of convolutions, and what they compute, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

_EPSILON = 1e-5  # of the normalisation in PyTorch

Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class BlockShape:
    """The channels before and after a block, and its stride."""

    before: int
    after: int
    stride: tuple[int, int]


@dataclass(frozen=True)
class ResidualShape:
    """The sizes of a network: of the image, the kernel, the blocks, and the outputs."""

    image: tuple[int, int, int]
    kernel: tuple[int, int]
    blocks: tuple[BlockShape, ...]
    n_outputs: int

    @classmethod
    def of(cls, image: Sequence[int], channels: Sequence[int], depth: int, n_outputs: int) -> ResidualShape:
        """Stages of ``depth`` blocks with that many channels; each stage but the first halves the image."""
        height, width, _ = image
        step = (2 if height > 1 else 1, 2 if width > 1 else 1)
        blocks, before = [], channels[0]
        for stage, after in enumerate(channels):
            for place in range(depth):
                blocks.append(BlockShape(before, after, step if stage and not place else (1, 1)))
                before = after
        kernel = (3 if height > 1 else 1, 3 if width > 1 else 1)
        return cls((height, width, image[2]), kernel, tuple(blocks), n_outputs)

    @property
    def n_products(self) -> int:
        """Roughly the multiplications for an image."""
        cells, kernel = self.image[0] * self.image[1], self.kernel[0] * self.kernel[1]
        found = cells * kernel * self.image[2] * self.blocks[0].before
        for block in self.blocks:
            cells = -(-cells // (block.stride[0] * block.stride[1]))
            found += cells * kernel * block.after * (block.before + block.after)
        return found


def residual_outputs(X: np.ndarray, weights: Weights, shape: ResidualShape) -> np.ndarray:
    """The outputs of images, rows × channels × height × width, as PyTorch computes them."""
    X = np.maximum(_convolved(X, weights, "stem", (1, 1)), 0.0)
    for place, block in enumerate(shape.blocks):
        name = f"blocks.{place}"
        inner = np.maximum(_convolved(X, weights, f"{name}.first", block.stride), 0.0)
        has_shortcut = f"{name}.shortcut.conv.weight" in weights
        kept = _convolved(X, weights, f"{name}.shortcut", block.stride) if has_shortcut else X
        X = np.maximum(kept + _convolved(inner, weights, f"{name}.second", (1, 1)), 0.0)
    return X.mean(axis=(2, 3)) @ weights["head.weight"].astype(np.float64).T + weights["head.bias"]


def _convolved(X: np.ndarray, weights: Weights, name: str, stride: tuple[int, int]) -> np.ndarray:
    """A convolution, padded with zeros, and its normalisation."""
    kernel = weights[f"{name}.conv.weight"].astype(np.float64)
    scale, shift, mean, variance = (
        weights[f"{name}.norm.{each}"].astype(np.float64) for each in ("weight", "bias", "running_mean", "running_var")
    )
    high, wide = kernel.shape[2:]
    padded = np.pad(X, ((0, 0), (0, 0), (high // 2,) * 2, (wide // 2,) * 2))
    windows = sliding_window_view(padded, (high, wide), axis=(2, 3))[:, :, :: stride[0], :: stride[1]]
    summed = np.tensordot(windows, kernel, axes=([1, 4, 5], [1, 2, 3]))
    factor = scale / np.sqrt(variance + _EPSILON)
    return ((summed - mean) * factor + shift).transpose(0, 3, 1, 2)
