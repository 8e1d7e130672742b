"""Saving a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from probus.errors import DataError, ModelFileError
from probus.persistence._container import write_container
from probus.persistence._document import document_bytes
from probus.persistence._encoder import Encoder
from probus.persistence._replacing import replacing

_OF_OTHERS = frozenset({".html", ".htm", ".json", ".csv", ".tsv", ".xlsx", ".parquet", ".txt", ".md", ".pdf"})
_OF_OTHERS |= {".png", ".jpg", ".svg", ".py", ".pmml", ".onnx"}


def save(model: BaseEstimator, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None) -> Path:
    """Write a model to a file that contains only data, and return the path.

    The same model always gives the same bytes. The file is written completely or not at all: it is written beside the
    path and renamed. It keeps the permissions of the file that it replaces; a new one gets those that the umask leaves.
    A symbolic link stays, and the file it points to is replaced. Values that would need code to rebuild (a function as
    parameter, a class that is not registered) raise an error that names them.

    Parameters
    ----------
    model : an estimator of Probus, or a scikit-learn pipeline of such
    path : the file to write; ``.probus`` is the usual extension, those of pages, tables and pictures are refused
    metadata : any JSON value, stored with the model for ``probus.persistence.inspect``

    Returns
    -------
    The path of the file.

    >>> import tempfile, probus
    >>> from probus.dummy import ZeroRClassifier
    >>> model = ZeroRClassifier().fit([[0], [1], [2]], ["no", "yes", "no"])
    >>> path = save(model, tempfile.mkdtemp() + "/model.probus")
    >>> probus.load(path).predict([[7]]).tolist()
    ['no']
    """
    if not isinstance(model, BaseEstimator):
        swapped = isinstance(path, BaseEstimator)
        hint = f"Use save(model, {str(model)!r})." if swapped else ""
        raise ModelFileError(f"a {type(model).__name__} to save.", "a model", hint)
    _must_be_of_models(model, Path(path))
    encoder = Encoder()
    document = document_bytes(encoder.model(model, type(model).__name__), metadata or {})
    with replacing(path) as file:
        write_container(file, document, encoder.arrays)
    return Path(path)


def _must_be_of_models(model: BaseEstimator, path: Path) -> None:
    """Raise where the ending is that of a page, a table or a picture, which no model file is."""
    if path.suffix.lower() not in _OF_OTHERS:
        return
    name = path.name
    hint = f"probus.explain(model, X).save({name!r}) writes what columns change."
    if hasattr(type(model), "archive"):
        hint = f"model.archive.save({name!r}) writes what the search tried."
    raise DataError(
        f"a {type(model).__name__} to save as {name!r}, while a model file holds arrays and JSON.",
        "a path such as 'model.probus'",
        hint,
    )
