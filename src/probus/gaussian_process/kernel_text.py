"""Kernels as text: ``"1.0 * RBF(1.0) + WhiteKernel(0.1)"``, the way scikit-learn displays them."""

from __future__ import annotations

import ast
import operator
from typing import Any

from sklearn.gaussian_process import kernels

from probus.errors import DataError

__all__ = ["kernel_of"]

_OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow}
_KERNELS = {
    name: thing
    for name, thing in vars(kernels).items()
    if isinstance(thing, type) and issubclass(thing, kernels.Kernel) and thing.__module__ == kernels.__name__
}


def kernel_of(kernel: Any) -> Any:
    """A kernel; text is read as an expression of kernels and numbers, and nothing else is run.

    >>> kernel_of("2.0 * RBF(length_scale=1.5) + WhiteKernel(0.1)")
    1.41**2 * RBF(length_scale=1.5) + WhiteKernel(noise_level=0.1)
    """
    if not isinstance(kernel, str):
        return kernel
    try:
        found = _evaluated(ast.parse(kernel.strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, OverflowError) as error:
        raise _unreadable(kernel) from error
    if not isinstance(found, kernels.Kernel):
        raise _unreadable(kernel)
    return found


def _evaluated(node: ast.AST) -> Any:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KERNELS:
        given = {str(keyword.arg): _evaluated(keyword.value) for keyword in node.keywords}
        return _KERNELS[node.func.id](*map(_evaluated, node.args), **given)
    return ast.literal_eval(node)


def _unreadable(kernel: str) -> DataError:
    return DataError(
        f"kernel={kernel!r:.80} cannot be read.",
        f"numbers and the kernels {', '.join(sorted(_KERNELS))}, joined by +, * and **",
    )
