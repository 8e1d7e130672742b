"""Loading a model."""

from __future__ import annotations

import os

from sklearn.base import BaseEstimator

from probus.persistence.container import opened
from probus.persistence.decode import Decoder
from probus.persistence.document import parsed

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> BaseEstimator:
    """The model that ``probus.save`` wrote.

    Nothing in the file is run. Whatever is not just as ``save`` would write it, damaged or hostile, is a
    ``ModelFileError`` that says what was found; nothing larger than the file itself is allocated before it is checked.
    """
    with opened(path) as container:
        head = parsed(container.document())
        container.check_entries()
        model = Decoder(container).model(head["model"], "the model")
        container.check_all_read()
    return model
