"""Model files that contain only data: ``save``, ``load``, and ``inspect`` to show a file's contents without loading it.

``encode`` converts a model to nodes, ``document`` writes nodes as JSON, ``container`` writes the JSON and arrays as a
zip file. Loading reverses these steps (``container``, ``document``, ``decode``) and checks every value. ``registry``
and ``borrowed`` list the classes that a file may name; ``layout`` has the limits on sizes.
"""

from probus.persistence.contents import Contents, inspect
from probus.persistence.read import load
from probus.persistence.write import save

__all__ = ["Contents", "inspect", "load", "save"]
