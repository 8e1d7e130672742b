"""The names of units, weights and biases of a Network, as textbooks write them."""

from __future__ import annotations

_LOW, _HIGH = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"), str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")


def unit_name(layer: int, unit: int, sizes: tuple[int, ...]) -> str:
    """x₁ of the inputs (layer 0), h₁ of one hidden layer, h⁽²⁾₁ of several, f or f₁ of the outputs; units from 0.

    >>> [unit_name(layer, 0, (2, 3, 1)) for layer in (0, 1, 2)], unit_name(2, 11, (2, 3, 12, 2))
    (['x₁', 'h₁', 'f'], 'h⁽²⁾₁₂')
    """
    if layer == 0:
        return f"x{_index(unit)}"
    if layer == len(sizes) - 1:
        return "f" if sizes[-1] == 1 else f"f{_index(unit)}"
    return f"h{_of_layer(layer, sizes)}{_index(unit)}"


def weight_name(layer: int, start: int, unit: int, sizes: tuple[int, ...]) -> str:
    """W₁₂ from the first unit to the second; u₁ or U₁₂ of the output, w₁ of a single unit.

    >>> weight_name(1, 0, 1, (2, 3, 1)), weight_name(2, 1, 0, (2, 3, 1)), weight_name(1, 0, 11, (2, 3, 12, 2))
    ('W₁₂', 'u₂', 'W⁽¹⁾₁,₁₂')
    """
    last = layer == len(sizes) - 1
    if last and sizes[-1] == 1:
        return f"{'u' if layer > 1 else 'w'}{_index(start)}"
    between = "," if max(sizes) > 9 else ""
    letter = "U" if last and layer > 1 else f"W{'' if last else _of_layer(layer, sizes)}"
    return f"{letter}{_index(start)}{between}{_index(unit)}"


def bias_name(layer: int, unit: int, sizes: tuple[int, ...]) -> str:
    """b₁ of hidden units, c or c₁ of the output, b of a single unit.

    >>> bias_name(1, 1, (2, 3, 1)), bias_name(2, 0, (2, 3, 1)), bias_name(1, 0, (2, 1))
    ('b₂', 'c', 'b')
    """
    if layer < len(sizes) - 1:
        return f"b{_of_layer(layer, sizes)}{_index(unit)}"
    return f"{'c' if layer > 1 else 'b'}{'' if sizes[-1] == 1 else _index(unit)}"


def _index(place: int) -> str:
    return str(place + 1).translate(_LOW)


def _of_layer(layer: int, sizes: tuple[int, ...]) -> str:
    return f"({layer})".translate(_HIGH) if len(sizes) > 3 else ""
