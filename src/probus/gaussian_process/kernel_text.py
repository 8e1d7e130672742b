"""Kernels as text: ``"1.0 * RBF(1.0) + WhiteKernel(0.1)"``, the way scikit-learn displays them."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.gaussian_process import kernels

__all__ = ["kernel_of"]

_OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow}
_KERNELS = {
    name: thing
    for name, thing in vars(kernels).items()
    if isinstance(thing, type) and issubclass(thing, kernels.Kernel)
}


def kernel_of(kernel: Any) -> Any:
    """A kernel; text is read as an expression of kernels and numbers, and nothing else is run.

    >>> kernel_of("2.0 * RBF(length_scale=1.5) + WhiteKernel(0.1)")
    1.41**2 * RBF(length_scale=1.5) + WhiteKernel(noise_level=0.1)
    """
    if not isinstance(kernel, str):
        return _checked(kernel) if isinstance(kernel, kernels.Kernel) else kernel
    try:
        found = _evaluated(ast.parse(kernel.strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, OverflowError) as error:
        raise _unreadable(kernel) from error
    if not isinstance(found, kernels.Kernel):
        raise _unreadable(kernel)
    return _checked(found)


def _checked(kernel: kernels.Kernel) -> kernels.Kernel:
    """The kernel, if its parameters are numbers, and positive where their logarithm is optimised."""
    values = kernel.get_params()
    positive = {each.name: not each.fixed for each in kernel.hyperparameters}
    exponents = {name: False for name in values if name.rpartition("__")[2] == "exponent"}
    for name, above in {**exponents, **positive}.items():
        numbers = np.asarray(values[name])
        if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all() or (above and (numbers <= 0).any()):
            raise DataError(
                f"kernel {type(kernel).__name__}: {name}={values[name]!r}.",
                "positive numbers" if above else "finite numbers",
            )
    return kernel


def _evaluated(node: ast.AST) -> Any:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KERNELS:
        given = {
            str(each.arg): each.value.id if _is_metric(each) else _evaluated(each.value)  # type: ignore[attr-defined]
            for each in node.keywords
        }
        return _KERNELS[node.func.id](*map(_evaluated, node.args), **given)
    return ast.literal_eval(node)


def _is_metric(keyword: ast.keyword) -> bool:
    """Whether it is the name of a PairwiseKernel, which is displayed without quotes."""
    return keyword.arg == "metric" and isinstance(keyword.value, ast.Name)


def _unreadable(kernel: str) -> DataError:
    return DataError(
        f"kernel={kernel!r:.80} cannot be read.",
        f"numbers and the kernels {', '.join(sorted(_KERNELS))}, joined by +, * and **",
    )
