"""Loading a model."""

from __future__ import annotations

import os

from sklearn.base import BaseEstimator

from probus.persistence._container import open_container
from probus.persistence._decoder import Decoder
from probus.persistence._document import parse


def load(path: str | os.PathLike[str]) -> BaseEstimator:
    """Load a model that was written by ``probus.save``.

    Loading never runs code from the file. A file that differs from what ``save`` would write raises a
    ``ModelFileError`` that states what was found; sizes are checked before memory is allocated.

    Parameters
    ----------
    path : the file.

    Returns
    -------
    The model, fitted as it was when it was saved.
    """
    with open_container(path) as container:
        head = parse(container.document())
        container.check_entries()
        model = Decoder(container).model(head["model"], "the model")
        container.check_all_read()
    return model
