"""Saving a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from probus.errors import ModelFileError
from probus.persistence.container import write_container
from probus.persistence.document import document_bytes
from probus.persistence.encoder import Encoder
from probus.persistence.replacing import replacing

__all__ = ["save"]


def save(model: BaseEstimator, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None) -> Path:
    """Write a model to a file that contains only data, and return the path.

    The same model always gives the same bytes. The file is written completely or not at all: it is written beside the
    path and renamed. It keeps the permissions of the file that it replaces; a new one gets those that the umask leaves.
    A symbolic link stays, and the file it points to is replaced. Values that would need code to rebuild (a function as
    parameter, a class that is not registered) raise an error that names them.

    Parameters
    ----------
    model : an estimator of Probus, or a scikit-learn pipeline of such
    path : the file to write; ``.probus`` is the usual extension
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
        raise ModelFileError(f"a {type(model).__name__} to save.", "a model")
    encoder = Encoder()
    document = document_bytes(encoder.model(model, type(model).__name__), metadata or {})
    with replacing(path) as file:
        write_container(file, document, encoder.arrays)
    return Path(path)
