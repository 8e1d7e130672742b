"""Rewrite estimators so that each parameter is declared once (probus.parameters): a tool for that change, then deleted.

``python tools/declare_parameters.py MODULE [--docs DOCS.json] [--write]`` takes the ``__init__`` of each class, the
constraints of its parameters and their entries in its docstring, and writes declarations in their place. Sentences
that the docstring lacks are listed, and taken from DOCS: ``{"Class": {"parameter": "Sentence."}}``.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import re
import textwrap
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, Options, RealNotInt, StrOptions

from probus.allowed_values import allowed_by
from probus.base import Model

SHARED = {("random_state", "None"): "RANDOM_STATE", ("n_jobs", "None"): "N_JOBS", ("verbose", "0"): "VERBOSE"}
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)


def main() -> None:
    """Rewrite the classes of some modules."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("modules", nargs="+")
    arguments.add_argument("--docs", type=Path)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    docs = json.loads(options.docs.read_text()) if options.docs else {}
    written = {}
    for name in options.modules:
        module = importlib.import_module(name)
        path = Path(module.__file__ or "")
        lacking, text = rewritten(module, path.read_text(), docs)
        if lacking:
            print(name, json.dumps(lacking, indent=1, ensure_ascii=False))
        else:
            written[path] = text
    for path, text in written.items():
        if options.write:
            path.write_text(text)
        else:
            print(text)


def rewritten(module: Any, source: str, docs: dict[str, dict[str, str]]) -> tuple[dict[str, Any], str]:
    """The parameters without a sentence, by class, and the source of a module with declarations."""
    edits, used, lacking = [], set(), {}
    for node in ast.parse(source).body:
        cls = getattr(module, node.name) if isinstance(node, ast.ClassDef) else None
        if isinstance(node, ast.ClassDef) and isinstance(cls, type) and issubclass(cls, Model):
            found = declared(node, cls, source, docs.get(node.name, {}))
            if found:
                edits += found.edits
                used |= found.used
                lacking |= {node.name: found.lacking} if found.lacking else {}
            edits += attributes(node, source)
            used |= {"attribute"} if attributes(node, source) else set()
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return lacking, with_imports(source, used)


def attributes(node: ast.ClassDef, source: str) -> list[tuple[int, int, str]]:
    """The edits that mark names with a type only as attributes, which are no parameters."""
    edits = []
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and each.value is None and "ClassVar" not in ast.unparse(each.annotation):
            start, end = span(each, source)
            code, mark, comment = source[start:end].rstrip("\n").partition("  #")
            edits.append((start, end, f"{code} = attribute(){mark}{comment}\n"))
    return edits


class Found:
    """The edits of a class, the names its declarations use, and parameters without a sentence."""

    def __init__(self) -> None:
        self.edits: list[tuple[int, int, str]] = []
        self.used: set[str] = set()
        self.lacking: dict[str, str] = {}


def declared(node: ast.ClassDef, cls: type, source: str, docs: dict[str, str]) -> Found | None:
    """The edits that declare the parameters of a class; None where it has no plain ``__init__``."""
    init = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if init is None or not plain(init):
        if init is not None:
            print(f"{node.name}: its __init__ does more than to assign")
        return None
    found = Found()
    doc = ast.get_docstring(node) or ""
    described, rest = parsed(doc)
    constraints = getattr(cls, "_parameter_constraints", {})
    lines = []
    for name, (annotation, default, kw_only) in arguments_of(init, source).items():
        sentence = docs.get(name) or described.get(name, "")
        if (name, default) in SHARED and kw_only and not docs.get(name):
            lines.append(f"    {name}: {annotation} = {SHARED[name, default]}")
            found.used.add(SHARED[name, default])
            continue
        if not sentence:
            found.lacking[name] = f"{annotation} = {default}; {constraints.get(name, '')}"
            continue
        allowed = of(constraints.get(name, "no_validation"), annotation, found.used, doc)
        parts = [
            repr_of(sentence),
            *([] if default == "REQUIRED" else [f"default={default}"]),
            *allowed,
            *([] if kw_only else ["kw_only=False"]),
        ]
        lines.append(f"    {name}: {annotation} = parameter({', '.join(parts)})")
        found.used.add("parameter")
    found.edits.append((*span(init, source), "\n" + "\n".join(lines) + "\n" if not rest else ""))
    if rest:
        first = node.body[0]
        found.edits[-1] = (*span(init, source), "")
        start, end = span(first, source)
        raw = "r" if "\\" in rest else ""
        text = textwrap.indent(f'{raw}"""{rest}' + ("\n" if "\n" in rest else "") + '"""', "    ")
        found.edits.append((start, end, re.sub(r"^[ ]+$", "", text, flags=re.M) + "\n\n" + "\n".join(lines) + "\n"))
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and getattr(each.target, "id", "") == "_parameter_constraints":
            found.edits.append((*span(each, source), ""))
    return found


def plain(init: ast.FunctionDef) -> bool:
    """Whether ``__init__`` only stores each argument under its name."""
    return all(
        isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.targets[0].attr == each.value.id
        for each in init.body
    )


def arguments_of(init: ast.FunctionDef, source: str) -> dict[str, tuple[str, str, bool]]:
    """The annotation, the default and whether it is passed by name only, for each argument."""
    found = {}
    positional = init.args.args[1:]
    padded = [None] * (len(positional) - len(init.args.defaults)) + list(init.args.defaults)
    pairs = [(a, d, False) for a, d in zip(positional, padded, strict=True)]
    pairs += [(a, d, True) for a, d in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)]
    for argument, default, kw_only in pairs:
        annotation = ast.unparse(argument.annotation) if argument.annotation else "Any"
        text = ast.get_source_segment(source, default) if default is not None else "REQUIRED"
        found[argument.arg] = (annotation, text or "", kw_only)
    return found


def span(node: Any, source: str) -> tuple[int, int]:
    """Where the lines of a node begin and end in the source, decorators included."""
    lines = source.splitlines(keepends=True)
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return sum(map(len, lines[: first - 1])), sum(map(len, lines[: node.end_lineno]))


def parsed(doc: str) -> tuple[dict[str, str], str]:
    """The entries of the section *Parameters*, and the docstring without it."""
    match = re.search(r"^Parameters\n-{3,}\n", doc, re.M)
    if not match:
        return {}, doc
    following = re.search(r"^(?:\w[\w ]*\n-{3,}\n|>>> )", doc[match.end() :], re.M)
    end = match.end() + following.start() if following else len(doc)
    entries: dict[str, str] = {}
    body = doc[match.end() : end].rstrip()
    for entry in re.split(r"\n(?=\S)", body):
        head, _, below = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        below = " ".join(line.strip() for line in below.splitlines())
        typed = re.match(
            r"(\{|int|float|bool|str|None|array|object|function|Kernel|dict|list|\"|estimator|callable)", kind
        )
        sentence = below if typed and below else f"{kind} {below}".strip()
        for name in names.split(","):
            entries[name.strip()] = capitalised(sentence)
    return entries, (doc[: match.start()].rstrip() + "\n\n" + doc[end:]).strip()


def capitalised(sentence: str) -> str:
    """A sentence, from a phrase."""
    sentence = sentence.strip()
    if not sentence[:1].isascii():
        return sentence if sentence.endswith(".") else sentence + "."
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if sentence.endswith((".", "?", ":")) or not sentence else sentence + "."


def repr_of(sentence: str) -> str:
    """The sentence as a string literal, on several lines where it is long."""
    text = " ".join(sentence.split())
    quoted = [json.dumps(part + " ", ensure_ascii=False) for part in textwrap.wrap(text, 100)] or ['""']
    quoted[-1] = json.dumps(textwrap.wrap(text, 100)[-1], ensure_ascii=False)
    return quoted[0] if len(quoted) == 1 else "\n        " + "\n        ".join(quoted) + ""


# -- what values are allowed ---------------------------------------------------------------------------


def of(constraints: Any, annotation: str, used: set[str], doc: str) -> list[str]:
    """The arguments of ``parameter`` that say which values are allowed."""
    if isinstance(constraints, str):
        return [] if not allowed_by(annotation, {}, ()) else ["of=[]"]
    short = shortened(constraints, annotation, doc)
    if short is not None:
        return short
    texts = [text_of(each) for each in constraints]
    used.update(re.findall(r"[A-Z]\w+(?=\()", " ".join(texts)))
    return [f"of=[{', '.join(texts)}]"]


def shortened(constraints: list[Any], annotation: str, doc: str) -> list[str] | None:
    """Bounds and options alone, where the annotation says the rest."""
    bounds: dict[str, Any] = {}
    options: list[str] = []
    for each in constraints:
        if isinstance(each, Interval):
            bounds |= ends(each)
        elif isinstance(each, StrOptions):
            options = ordered(each.options, doc)
    try:
        made = allowed_by(annotation, bounds, tuple(options))
    except (TypeError, ValueError):
        return None
    try:
        same = sorted(text_of(each.constraint) for each in made) == sorted(map(text_of, constraints))
    except ValueError:  # an interval whose bounds are those of another
        return None
    if not made or not same:
        return None
    parts = [f"one_of=({', '.join(map(json.dumps, options))}{',' * (len(options) == 1)})"] if options else []
    return parts + [f"{name}={value!r}" for name, value in bounds.items()]


def ordered(options: Any, doc: str = "") -> list[str]:
    """Options in the order in which the docstring has them, else of the alphabet, as sets have none."""
    places = {each: doc.find(f'"{each}"') for each in options}
    return sorted(options, key=lambda each: (places[each] < 0, places[each], each))


def ends(interval: Interval) -> dict[str, Any]:
    """The bounds of an interval by the words of ``parameter``."""
    low = {"left": "at_least", "both": "at_least"}.get(interval.closed, "above")
    high = {"right": "at_most", "both": "at_most"}.get(interval.closed, "below")
    found = {}
    if interval.left is not None:
        found[low] = interval.left
    if interval.right is not None:
        found[high] = interval.right
    elif high == "at_most" and interval.type is not Integral:
        found[high] = Infinity("inf")
    return found


class Infinity(float):
    """Infinity, as it is written."""

    def __repr__(self) -> str:
        return "np.inf"


def text_of(constraint: Any) -> str:
    """The source of the allowed values that a constraint of scikit-learn stands for."""
    if isinstance(constraint, Interval):
        bounds = ", ".join(f"{name}={value!r}" for name, value in ends(constraint).items())
        if constraint.type is Integral:
            return f"IntegerIn({bounds})"
        besides = ["besides_int=True"] if constraint.type is RealNotInt else []
        return f"RealIn({', '.join(filter(None, [bounds, *besides]))})"
    if isinstance(constraint, StrOptions):
        return f"OneOf({', '.join(json.dumps(each) for each in ordered(constraint.options))})"
    if isinstance(constraint, Options):
        return f"OneOf({', '.join(map(repr, sorted(constraint.options, key=repr)))})"
    if isinstance(constraint, HasMethods):
        return f"HasMethod({', '.join(map(repr, sorted(constraint.methods)))})"
    if constraint is None:
        return "NoneAllowed()"
    words = {"boolean": "TrueOrFalse()", "array-like": "ArrayValue()", "random_state": "SeedValue()"}
    words |= {"verbose": "IntegerIn(at_least=0), TrueOrFalse()", "cv_object": "SplitsValue()"}
    if isinstance(constraint, str):
        return words[constraint]
    if constraint is callable:
        return "CallableValue()"
    if constraint in (Integral, Real):
        return "IntegerIn()" if constraint is Integral else "RealIn()"
    if inspect.isclass(constraint):
        return f"InstanceOf({'np.' * (constraint.__module__ == 'numpy')}{constraint.__name__})"
    raise TypeError(f"{constraint!r}")


def with_imports(source: str, used: set[str]) -> str:
    """The source with imports of what the declarations use; ruff sorts them and removes others."""
    from probus import allowed_values, parameters

    kinds = sorted(name for name in used if name in allowed_values.__all__)
    others = sorted(name for name in used if name not in kinds and hasattr(parameters, name))
    lines = []
    if kinds:
        lines.append(f"from probus.allowed_values import {', '.join(kinds)}")
    if others:
        lines.append(f"from probus.parameters import {', '.join(others)}")
    at = source.index("from probus.") if "from probus." in source else source.index("\n\n__all__")
    return source[:at] + "\n".join(lines) + "\n" + source[at:] if lines else source


if __name__ == "__main__":
    main()
