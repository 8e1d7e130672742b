"""Model files that contain only data: ``save``, ``load``, and ``inspect`` to show a file's contents without loading it.

``encoder`` converts a model to nodes, ``document`` writes nodes as JSON, ``container`` writes the JSON and arrays as a
zip file. Loading reverses these steps (``container``, ``document``, ``decoder``) and checks every value.
``class_registry`` and ``borrowed`` list the classes that a file may name; ``file_format`` has the limits on sizes,
``nesting`` counts the models inside a model, ``replacing`` exchanges a file without harm to the old one.
"""

from probus.borrowing import listing
from probus.persistence._class_registry import estimators_of, name_of, public_modules
from probus.persistence._contents import Contents, inspect
from probus.persistence._encoder import Encoder
from probus.persistence._load_model import load
from probus.persistence._save_model import save

__all__ = ["Contents", "inspect", "load", "save"]

__dir__ = listing(globals())
