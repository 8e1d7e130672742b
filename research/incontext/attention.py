"""Attention among the few columns of a row: one Triton program per row and head, where PyTorch's kernels are slow.

``column_attention`` takes the products ``qkv`` (n, T, 3·H·D) of n rows with T columns and H heads; it returns
(n, T, H·D).
"""

from __future__ import annotations

import torch
from torch import Tensor

from probus.in_context._torch_blocks import attend_to_columns

__all__ = ["column_attention", "largest_error"]

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

_MOST_COLUMNS = 128


def column_attention(qkv: Tensor, heads: int) -> Tensor:
    fits = qkv.is_cuda and qkv.dtype == torch.bfloat16 and qkv.shape[1] <= _MOST_COLUMNS
    return _attend(qkv, heads) if triton is not None and fits else attend_to_columns(qkv, heads)


def largest_error() -> float:
    """The largest relative error of values and gradients, compared with the reference in double precision."""
    worst = 0.0
    for T in (5, 13, 27, 51):
        qkv = torch.randn(300, T, 384, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        weight = torch.randn(300, T, 128, device="cuda", dtype=torch.bfloat16)
        exact = qkv.detach().double().requires_grad_()
        pairs = [(column_attention(qkv, 4), attend_to_columns(exact, 4))]
        pairs.append(
            tuple(
                torch.autograd.grad((out * weight).sum(), at)[0] for out, at in zip(pairs[0], (qkv, exact), strict=True)
            )
        )
        worst = max(worst, *(((ours - theirs).norm() / theirs.norm()).item() for ours, theirs in pairs))
    return worst


if triton is not None:

    @triton.jit
    def _forward(QKV, OUT, T, scale, H: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
        row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
        t, d = tl.arange(0, BLOCK), tl.arange(0, D)
        inside = (t < T)[:, None]
        at = QKV + (row * T + t[:, None]) * (3 * H * D) + head * D + d[None, :]
        q = tl.load(at, mask=inside, other=0.0)
        k = tl.load(at + H * D, mask=inside, other=0.0)
        v = tl.load(at + 2 * H * D, mask=inside, other=0.0)
        score = tl.where((t < T)[None, :], tl.dot(q, tl.trans(k)) * scale, -1e30)
        weight = tl.exp(score - tl.max(score, 1)[:, None])
        weight = weight / tl.sum(weight, 1)[:, None]
        out = tl.dot(weight.to(v.dtype), v)
        tl.store(OUT + (row * T + t[:, None]) * (H * D) + head * D + d[None, :], out.to(v.dtype), mask=inside)

    @triton.jit
    def _backward(QKV, GRAD, OUT, T, scale, H: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
        row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
        t, d = tl.arange(0, BLOCK), tl.arange(0, D)
        inside = (t < T)[:, None]
        offset = (row * T + t[:, None]) * (3 * H * D) + head * D + d[None, :]
        q = tl.load(QKV + offset, mask=inside, other=0.0)
        k = tl.load(QKV + offset + H * D, mask=inside, other=0.0)
        v = tl.load(QKV + offset + 2 * H * D, mask=inside, other=0.0)
        grad = tl.load(GRAD + (row * T + t[:, None]) * (H * D) + head * D + d[None, :], mask=inside, other=0.0)
        score = tl.where((t < T)[None, :], tl.dot(q, tl.trans(k)) * scale, -1e30)
        weight = tl.exp(score - tl.max(score, 1)[:, None])
        weight = weight / tl.sum(weight, 1)[:, None]
        of_weight = tl.dot(grad, tl.trans(v))
        of_score = weight * (of_weight - tl.sum(of_weight * weight, 1)[:, None]) * scale
        half = of_score.to(v.dtype)
        tl.store(OUT + offset, tl.dot(half, k).to(v.dtype), mask=inside)
        tl.store(OUT + offset + H * D, tl.dot(tl.trans(half), q).to(v.dtype), mask=inside)
        tl.store(OUT + offset + 2 * H * D, tl.dot(tl.trans(weight.to(v.dtype)), grad).to(v.dtype), mask=inside)

    def _sizes(qkv: Tensor, heads: int) -> tuple[int, int, int]:
        width, block = qkv.shape[2] // 3 // heads, max(16, triton.next_power_of_2(qkv.shape[1]))
        return width, block, 1 if block <= 16 else 2 if block <= 32 else 4

    @torch.library.custom_op("incontext::attend", mutates_args=())
    def _attend(qkv: Tensor, heads: int) -> Tensor:
        out = qkv.new_empty(qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3)
        width, block, warps = _sizes(qkv, heads)
        _forward[(len(qkv), heads)](qkv, out, qkv.shape[1], width**-0.5, heads, width, block, num_warps=warps)
        return out

    @torch.library.custom_op("incontext::attend_backward", mutates_args=())
    def _attend_backward(qkv: Tensor, grad: Tensor, heads: int) -> Tensor:
        out = torch.empty_like(qkv)
        width, block, warps = _sizes(qkv, heads)
        grad = grad.contiguous()
        _backward[(len(qkv), heads)](qkv, grad, out, qkv.shape[1], width**-0.5, heads, width, block, num_warps=warps)
        return out

    @_attend.register_fake
    def _(qkv, heads):
        return qkv.new_empty(qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3)

    @_attend_backward.register_fake
    def _(qkv, grad, heads):
        return torch.empty_like(qkv)

    def _saved(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.heads = inputs[1]

    def _gradient(ctx, grad):
        return _attend_backward(ctx.saved_tensors[0], grad, ctx.heads), None

    _attend.register_autograd(_gradient, setup_context=_saved)
