"""Kernels as text: ``"1.0 * RBF(1.0) + WhiteKernel(0.1)"``, the way scikit-learn displays them."""

from __future__ import annotations

import ast
import operator
from numbers import Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from probus.errors import DataError, ModelFileError
from probus.gaussian_process import kernels

_CHARACTERS = 100_000  # of a text: a kernel may have a length scale for each of thousands of columns
_MOST = 100  # kernels
_DEEPEST = 15  # levels: scikit-learn looks up the bounds of parameters twice in each, so that time doubles with each
_OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow}
_KERNELS = {
    name: thing
    for name, thing in vars(kernels).items()
    if isinstance(thing, type) and issubclass(thing, kernels.Kernel)
}

_POSITIVE = ("length_scale", "periodicity", "alpha")  # also where they are fixed: the kernel divides by them


def kernel_of(kernel: Any) -> Any:
    """A kernel; text is read as an expression of kernels and numbers, and nothing else is run.

    >>> kernel_of("2.0 * RBF(length_scale=1.5) + WhiteKernel(0.1)")
    1.41**2 * RBF(length_scale=1.5) + WhiteKernel(noise_level=0.1)
    """
    if not isinstance(kernel, str):
        return _check(kernel) if isinstance(kernel, kernels.Kernel) else kernel
    try:
        found = _evaluate(_parse(kernel))
    except DataError:
        raise
    except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise _unreadable(kernel) from error
    if not isinstance(found, kernels.Kernel):
        raise _unreadable(kernel)
    return _check(found)


def check_kernel(kernel: Any, n_parameters: int) -> None:
    """Raise a ModelFileError unless the kernel of a file can be read and has that many parameters to choose."""
    if kernel is None:
        return
    try:
        own = kernel_of(kernel).theta.size
    except (DataError, ValueError, TypeError) as error:
        raise ModelFileError(f"its kernel is not usable: {error}") from None
    if own != n_parameters:
        raise ModelFileError(f"its kernel has {own} parameters, and theta_ has {n_parameters}.")


def _parse(text: str) -> ast.AST:
    """The expression of a text that is short enough to be evaluated."""
    if len(text) > _CHARACTERS:
        raise DataError(f"a kernel of {len(text)} characters.", f"at most {_CHARACTERS}")
    tree = ast.parse(text.strip(), mode="eval").body
    joined = sum(isinstance(node, (ast.BinOp, ast.Call, ast.UnaryOp)) for node in ast.walk(tree))
    if joined > 4 * _MOST:
        raise _too_large(f"{joined} kernels and operators")
    return tree


def _check_size(kernel: kernels.Kernel) -> None:
    """Raise where a kernel is joined of more kernels, or in more levels, than can be computed; without recursion."""
    n, waiting = 0, [(kernel, 0)]
    while waiting:
        part, depth = waiting.pop()
        n += 1
        if n > _MOST:
            raise _too_large(f"more than {_MOST} kernels")
        if depth > _DEEPEST:
            raise _too_large(f"kernels that are joined in more than {_DEEPEST} levels")
        waiting += [(own, depth + 1) for own in vars(part).values() if isinstance(own, kernels.Kernel)]


def _too_large(found: str) -> DataError:
    hint = "Join fewer kernels, or in pairs: (a + b) + (c + d) has two levels, a + b + c + d has three."
    return DataError(f"a kernel of {found}.", f"at most {_MOST} kernels in {_DEEPEST} levels", hint)


def _check(kernel: kernels.Kernel) -> kernels.Kernel:
    """The kernel, if its parameters are numbers, and positive where their logarithm is optimised."""
    _check_size(kernel)
    values = kernel.get_params()
    positive = {each.name: not each.fixed or _last(each.name) in _POSITIVE for each in kernel.hyperparameters}
    for name in values:
        if _last(name) == "nu" and not (isinstance(values[name], Real) and values[name] > 0.0):
            raise DataError(f"kernel {type(kernel).__name__}: {name}={values[name]!r}.", "a positive number, or inf")
        if _last(name) == "metric" and isinstance(values[name], str) and values[name] not in PAIRWISE_KERNEL_FUNCTIONS:
            known = ", ".join(map(repr, PAIRWISE_KERNEL_FUNCTIONS))
            raise DataError(f"kernel {type(kernel).__name__}: {name}={values[name]!r}.", f"one of {known}")
    exponents = {name: False for name in values if _last(name) == "exponent"}
    for name, above in {**exponents, **positive}.items():
        numbers = np.asarray(values[name])
        if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all() or (above and (numbers <= 0).any()):
            raise DataError(
                f"kernel {type(kernel).__name__}: {name}={values[name]!r}.",
                "positive numbers" if above else "finite numbers",
            )
    return kernel


def _last(name: str) -> str:
    """The name of a parameter within its own kernel."""
    return name.rpartition("__")[2]


def _evaluate(node: ast.AST) -> Any:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_operand(node.left), _operand(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KERNELS:
        given = {
            str(each.arg): each.value.id if _is_metric(each) else _evaluate(each.value)  # type: ignore[attr-defined]
            for each in node.keywords
        }
        return _KERNELS[node.func.id](*map(_evaluate, node.args), **given)
    return ast.literal_eval(node)


def _operand(node: ast.AST) -> Any:
    """A kernel, or a number as float64: powers of whole numbers have no end."""
    found = _evaluate(node)
    return float(found) if isinstance(found, int) else found


def _is_metric(keyword: ast.keyword) -> bool:
    """Whether it is the name of a PairwiseKernel, which is displayed without quotes."""
    return keyword.arg == "metric" and isinstance(keyword.value, ast.Name)


def _unreadable(kernel: str) -> DataError:
    return DataError(
        f"kernel={kernel!r:.80} cannot be read.",
        f"numbers and the kernels {', '.join(sorted(_KERNELS))}, joined by +, * and **",
    )
