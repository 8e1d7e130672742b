"""Functions named by participles, and long sentences of docstrings: `python -m tools.plain_english [PACKAGE …]`."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST = 30  # words
IRREGULAR = {
    "built",
    "drawn",
    "kept",
    "given",
    "known",
    "made",
    "shown",
    "taken",
    "told",
    "held",
    "left",
    "bound",
    "grown",
}
NOT = {"seed", "need", "feed", "speed", "used", "weighted", "unweighted", "named", "based", "fixed", "mixed", "shared"}
LINKS = {"by", "of", "in", "from", "to", "with", "for", "as", "at", "on", "into", "without", "like", "and", "than"}


def is_participle(name: str) -> bool:
    """Whether a name says what was done: ``_advised``, ``joined_by``."""
    first, *rest = name.strip("_").split("_")
    return (first in IRREGULAR or (first.endswith("ed") and first not in NOT)) and (not rest or rest[0] in LINKS)


def sentences(docstring: str) -> Iterator[str]:
    """The sentences before the examples."""
    text = re.split(r"\n\s*>>>|\n\s*Examples\n", docstring)[0]
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[\w, *]+ : )|\n\s*[-*]+", text):
        yield from re.split(r"(?<=[.;:?!])\s+(?=[A-Z`])", " ".join(paragraph.split()))


def main(packages: list[str]) -> None:
    """Print a line for each."""
    for path in sorted(Path("src/probus").rglob("*.py")):
        if packages and path.parts[2].removesuffix(".py") not in packages:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            line = getattr(node, "lineno", 1)
            if isinstance(node, ast.FunctionDef) and is_participle(node.name):
                print(f"{path}:{line} {node.name}")
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                for each in sentences(ast.get_docstring(node) or ""):
                    if (words := len(re.findall(r"[A-Za-z`][\w`'.-]*", each))) > LONGEST:
                        print(f"{path}:{line} {words} words: {each}")


if __name__ == "__main__":
    main(sys.argv[1:])
