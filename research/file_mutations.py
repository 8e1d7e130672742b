"""Random changes to a model file that keep most of its structure, so that they reach the checks behind the first one.

A change is of the document (a value, a key, a list, a model inside another), of the header of an array (dtype, shape,
order, index), of its contents, of the length of all arrays that share one, or of the zip file around them.
"""

from __future__ import annotations

import copy
import io
import json
import math
import zipfile
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from probus.persistence._file_format import DOCUMENT, DTYPES, array_name

__all__ = ["mutated"]

INTEGERS = (
    0, 1, -1, 2, 3, 7, 31, 32, 33, 64, 255, 256, 10**6, 2**31 - 1, 2**31, -(2**31), 2**32, 2**33, 2**40, 2**53, 2**62,
    2**63 - 1, 2**63, -(2**63), 2**64 - 1,
)  # fmt: skip
FLOATS = (0.0, -0.0, 0.5, -1.0, 1e-320, 1e300, -1e300, "nan", "inf", "-inf")
TEXTS = ("", "x", "nan", "Größe 列", "\x00", "auto", "gower", "kernel", "x" * 500)


def mutated(good: bytes, rng: Random) -> bytes:
    """The bytes of a model file with one to three changes."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        document = json.loads(archive.read(DOCUMENT))
        arrays = [archive.read(name) for name in archive.namelist()[1:]]
    ways = [_value, _value, _item, _spliced, _nested, _header, _content, _content, _content, _length, _length]
    if rng.random() < 0.06:
        return _zip_changed(_written(document, arrays, rng if rng.random() < 0.5 else None), rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not isinstance(document.get("model"), dict) or len(document["model"]) < 4:
            break  # an earlier change has left no model to change
        rng.choice(ways)(document, arrays, rng)
    return _written(document, arrays)


def _written(document: Any, arrays: list[bytes], rng: Random | None = None) -> bytes:
    """The zip file; with a generator, its entries are dropped, repeated, renamed, moved or compressed."""
    entries = [(DOCUMENT, json.dumps(document).encode()), *((array_name(i), data) for i, data in enumerate(arrays))]
    method = zipfile.ZIP_STORED
    if rng is not None:
        at, other = rng.randrange(len(entries)), rng.randrange(len(entries))
        match rng.randrange(6):
            case 0:
                del entries[at]
            case 1:
                entries.append((array_name(len(arrays)), entries[at][1]))
            case 2:
                entries[at] = (rng.choice(("x", "../x", "arrays/-1", f"arrays/0{at}")), entries[at][1])
            case 3:
                entries[at], entries[other] = (entries[at][0], entries[other][1]), (entries[other][0], entries[at][1])
            case 4:
                method = zipfile.ZIP_DEFLATED
            case _:
                entries.reverse()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return file.getvalue()


def _zip_changed(data: bytes, rng: Random) -> bytes:
    """The bytes with some of them changed, cut off or inserted, most often in the directory at the end."""
    changed = bytearray(data)
    at = rng.randrange(len(changed)) if rng.random() < 0.5 else len(changed) - 1 - rng.randrange(min(400, len(changed)))
    match rng.randrange(4):
        case 0:
            changed[at] ^= 1 << rng.randrange(8)
        case 1:
            changed[at : at + 4] = rng.choice((0, 1, 2**31, 2**32 - 1, 2**16 - 1)).to_bytes(4, "little")
        case 2:
            del changed[at : at + rng.randrange(1, 60)]
        case _:
            changed[at:at] = rng.randbytes(rng.randrange(1, 60))
    return bytes(changed)


# -- the document --------------------------------------------------------------------------------------


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of the document with each of its keys."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        for key in keys:
            yield item, key
            waiting.append(item[key])


def _place(document: Any, rng: Random) -> tuple[Any, Any]:
    """A random place; half of the time of a random key, so that keys which occur once are found among many levels."""
    found = list(_places(document["model"] if rng.random() < 0.9 else document))
    if rng.random() < 0.5:
        key = rng.choice(sorted({str(key) for _, key in found}))
        found = [place for place in found if str(place[1]) == key]
    return rng.choice(found)


def _objects(document: Any, type: str) -> list[dict[str, Any]]:
    places = [(document, "model"), *_places(document)]
    found = [holder[key] for holder, key in places if isinstance(holder[key], dict) and holder[key].get("type") == type]
    return list({id(node): node for node in found}.values())


def _float_node(value: float | str) -> Any:
    return {"type": "float", "value": value} if isinstance(value, str) else value


def _value(document: Any, arrays: list[bytes], rng: Random) -> None:
    """One value becomes an extreme of its type, or a value of another type."""
    holder, key = _place(document, rng)
    old = holder[key]
    if rng.random() < 0.2:
        old = rng.choice((0, 0.0, "", True, None, [], {}))
    if isinstance(old, bool) or old is None:
        new: Any = rng.choice((True, False, None, 0, 1, "", []))
    elif isinstance(old, int):
        new = rng.choice((*INTEGERS, old + 1, old - 1, -old, 2 * old))
    elif isinstance(old, float):
        new = _float_node(rng.choice(FLOATS))
    elif isinstance(old, str):
        texts = {holder[key] for holder, key in _places(document) if isinstance(holder[key], str)}
        new = rng.choice((*TEXTS, *sorted(texts)))
    else:
        new = rng.choice((None, [], {}, 0, [[]], {"type": "tuple", "items": []}))
    holder[key] = new


def _item(document: Any, arrays: list[bytes], rng: Random) -> None:
    """A list or an object loses, gains, repeats or reorders what it holds."""
    containers = [holder[key] for holder, key in _places(document) if isinstance(holder[key], (list, dict))]
    chosen = rng.choice([container for container in containers if container] or [document])
    if isinstance(chosen, dict):
        key = rng.choice(list(chosen))
        value = chosen.pop(key)
        if rng.random() < 0.5:
            other = rng.choice(list(chosen) or ["x_"])
            chosen[rng.choice((f"{key}_", other, "x", "__class__"))] = value
        return
    at = rng.randrange(len(chosen))
    match rng.randrange(4):
        case 0:
            del chosen[at]
        case 1:
            chosen.insert(at, copy.deepcopy(chosen[rng.randrange(len(chosen))]))
        case 2:
            rng.shuffle(chosen)
        case _:
            chosen.extend(copy.deepcopy(chosen) * rng.choice((1, 1, 30)))


def _spliced(document: Any, arrays: list[bytes], rng: Random) -> None:
    """A part of the document takes the place of another."""
    (holder, key), (source, at) = _place(document, rng), _place(document, rng)
    holder[key] = copy.deepcopy(source[at])


def _nested(document: Any, arrays: list[bytes], rng: Random) -> None:
    """A model without its state becomes a parameter of itself, over and over, or many times in a list."""
    model = rng.choice(_objects(document, "model") or [document["model"]])
    if not isinstance(model, dict) or not isinstance(model.get("params"), dict):
        return
    name = rng.choice(list(model["params"]) or ["estimator"])
    inner = {**copy.deepcopy(model), "state": None}
    for _ in range(rng.choice((1, 3, 6, 12, 30))):
        outer = copy.deepcopy({**inner, "params": {**inner["params"], name: None}})
        outer["params"][name] = inner
        inner = outer
    model["params"][name] = inner if rng.random() < 0.7 else [["a", inner]] * rng.choice((1, 2, 50))


# -- arrays --------------------------------------------------------------------------------------------


def _array(document: Any, arrays: list[bytes], rng: Random) -> tuple[dict[str, Any], np.ndarray] | None:
    """The header of a random array, and a copy of what it holds."""
    found = [node for node in _objects(document, "array") if _is_whole(node, arrays)]
    if not found:
        return None
    node = rng.choice(found)
    return node, _read(node, arrays)


def _is_whole(node: dict[str, Any], arrays: list[bytes]) -> bool:
    """Whether earlier changes have left a header that describes its array."""
    index, dtype, shape = node.get("index"), DTYPES.get(str(node.get("dtype"))), node.get("shape")
    if type(index) is not int or not 0 <= index < len(arrays) or dtype is None or not isinstance(shape, list):
        return False
    sized = all(type(length) is int and 0 <= length < 2**40 for length in shape) and len(shape) < 9
    return sized and math.prod(shape) * dtype.itemsize == len(arrays[index])


def _read(node: dict[str, Any], arrays: list[bytes]) -> np.ndarray:
    order = "F" if node.get("order") == "F" else "C"
    return np.frombuffer(arrays[node["index"]], node["dtype"]).reshape(node["shape"], order=order).copy(order)


def _write(node: dict[str, Any], arrays: list[bytes], array: np.ndarray) -> None:
    arrays[node["index"]] = array.tobytes("F" if node.get("order") == "F" else "C")
    node["shape"] = list(array.shape)


def _header(document: Any, arrays: list[bytes], rng: Random) -> None:
    """Another dtype, shape, order or index; half of the time the bytes are changed to match."""
    chosen = _array(document, arrays, rng)
    if chosen is None:
        return
    node, array = chosen
    match rng.randrange(5):
        case 0:
            node["dtype"] = rng.choice((*DTYPES, "|O", ">f8", "<U4", ""))
            if node["dtype"] in DTYPES and rng.random() < 0.5:
                with np.errstate(all="ignore"):
                    _write(node, arrays, array.astype(node["dtype"]))
        case 1:
            node["order"] = rng.choice("CF")
        case 2:
            node["index"] = rng.choice((*range(len(arrays) + 1), -1, 2**63))
        case 3:
            shape = node["shape"]
            node["shape"] = rng.choice(
                ([array.size], [1, *shape], [*shape, 1], shape[::-1], [0, *shape], [2**62, 0], [], [2**33, *shape[1:]])
            )
        case _:
            _write(node, arrays, array[..., None] if rng.random() < 0.5 else array.ravel())


def _content(document: Any, arrays: list[bytes], rng: Random) -> None:
    """Some values become extremes, or the values change places."""
    chosen = _array(document, arrays, rng)
    if chosen is None or not chosen[1].size:
        return
    node, array = chosen
    flat = array.reshape(-1)
    match rng.randrange(5):
        case 0:
            flat[:] = flat[::-1].copy()
        case 1:
            flat[:] = flat[rng.randrange(len(flat))]
        case 2:
            flat[:] = _extreme(array.dtype, len(flat), rng)
        case _:
            for _ in range(rng.choice((1, 1, 2, 5))):
                flat[rng.randrange(len(flat))] = _extreme(array.dtype, len(flat), rng)
    _write(node, arrays, array)


def _extreme(dtype: np.dtype, length: int, rng: Random) -> Any:
    if dtype.kind == "b":
        return rng.random() < 0.5
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(float(rng.choice(FLOATS))).astype(dtype)
    limits = np.iinfo(dtype)
    chosen = rng.choice((*INTEGERS, length, length - 1, length + 1, limits.max, limits.min, limits.max - 31))
    return min(max(chosen, int(limits.min)), int(limits.max))


def _length(document: Any, arrays: list[bytes], rng: Random) -> None:
    """All arrays of one model or component that share a length get another: their shapes still agree."""
    kinds = (("model", "state"), ("part", "fields"))
    owners = [node.get(key) for type, key in kinds for node in _objects(document, type)]
    owner = rng.choice([owner for owner in owners if isinstance(owner, dict) and owner] or [{}])
    inside = [n for n in owner.values() if isinstance(n, dict) and n.get("type") == "array" and _is_whole(n, arrays)]
    lengths = sorted({length for node in inside for length in node["shape"]})
    if not lengths:
        return
    old = rng.choice(lengths)
    new = rng.choice((0, 1, max(old - 1, 0), old + 1, 2 * old))
    for node in inside:
        if not _is_whole(node, arrays):  # an earlier change made two headers of one array
            continue
        array = _read(node, arrays)
        for axis, length in enumerate(array.shape):
            if length == old and array.size:
                array = np.take(array, np.arange(new) % max(length, 1), axis=axis)
        _write(node, arrays, array)
    for name, value in owner.items():
        if value == old and type(value) is int:
            owner[name] = new
        elif isinstance(value, dict) and value.get("type") == "labels" and isinstance(value.get("items"), list):
            items = value["items"]
            value["items"] = [items[i % len(items)] for i in range(new)] if len(items) == old and items else items
