"""Results as files: the format follows from the ending of the path."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from probus.display._plain import plain
from probus.errors import DataError

_PICTURES = (".png", ".svg", ".pdf")


def save_result(result: Any, path: Any) -> Path:
    """Write a result as .html, .json, .csv, .parquet, .txt or .md (its text), or as a picture; return the path."""
    path = Path(path)
    writers: dict[str, Callable[[], Any]] = {
        ".html": lambda: _write(path, _page(result)),
        ".json": lambda: _write(path, json.dumps(plain(result.to_dict()), indent=2, ensure_ascii=False) + "\n"),
        ".csv": lambda: result.to_frame().write_csv(path),
        ".parquet": lambda: result.to_frame().write_parquet(path),
        ".txt": lambda: _write(path, f"{result!r}\n"),
        ".md": lambda: _write(path, f"```\n{result!r}\n```\n"),
    }
    if hasattr(result, "plot"):
        writers |= dict.fromkeys(_PICTURES, lambda: _draw(result, path))
    write = writers.get(path.suffix.lower())
    if write is None:
        found = f"a {type(result).__name__} to write to {str(path)!r}."
        raise DataError(found, f"a path that ends in {', '.join(writers)}")
    if not path.parent.is_dir():
        raise DataError(f"no folder {str(path.parent)!r}.", "a folder that exists", "Make it first.")
    write()
    return path


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="replace")


def _page(result: Any) -> str:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(type(result).__name__)}</title>'
    return f"{head}<body>{result._repr_html_()}</body></html>\n"


def _draw(result: Any, path: Path) -> None:
    import numpy as np

    axes = np.ravel(np.asarray(result.plot(), dtype=object))[0]
    axes.figure.savefig(path, bbox_inches="tight", dpi=150)
