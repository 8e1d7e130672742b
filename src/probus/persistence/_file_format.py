"""The format of ``.probus`` files: entries, types, and limits on their sizes.

A file is a zip of ``model.json`` and ``arrays/0``, ``arrays/1``, …, uncompressed, so that nothing can expand.
``model.json`` is a tree of nodes: null, booleans, numbers, strings and lists are stored directly; everything else is an
object with a ``type``.
"""

from __future__ import annotations

import numpy as np

FORMAT = "probus model"
FORMAT_VERSION = 1
DOCUMENT = "model.json"

# Raw arrays are little-endian numbers. Objects would need code to rebuild; arbitrary bytes may not be valid text.
DTYPES = {
    code: np.dtype(code)
    for code in ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
}

# As values of parameters: encoders of scikit-learn have a parameter dtype. No array of a file has these.
OBJECTS = "|O"
PYTHON_DTYPES = {"bool": bool, "float": float, "int": int}

MOST_DOCUMENT_BYTES = 64 << 20  # enough for a million levels in a few schemas
MOST_VALUES = 4_000_000  # in the document: an empty list is 3 bytes of JSON and 64 of memory
MOST_DIRECTORY_BYTES = 64 << 20  # about a million arrays
MOST_LABEL_BYTES = 256 << 20  # of all arrays of strings together: the longest label sets the width of all
MOST_DEEP = 60  # levels of nesting: limited by Python's stack
MOST_OBJECTS = 50_000  # models and components: each takes some 50 microseconds to build
MOST_DISPLAYED = 8_192  # of parameters, see ``nesting``: a chain of eight models, or thousands side by side
MOST_INTEGER = 2**64  # the range of the widest dtype
LABEL_BYTES = 4  # of one character in a NumPy array of strings


def array_name(index: int) -> str:
    """The name of the entry of an array."""
    return f"arrays/{index}"
