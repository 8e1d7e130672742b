"""Model files that are only data: ``save``, ``load``, and ``inspect`` to look before loading.

A model becomes nodes (``encode``), nodes become a document (``document``), the document and the raw arrays become a zip
(``container``); loading walks back (``container``, ``document``, ``decode``) and trusts nothing on the way. What a file
may name is in ``registry`` and ``borrowed``; what it may weigh is in ``layout``.
"""

from probus.persistence.contents import Contents, inspect
from probus.persistence.read import load
from probus.persistence.write import save

__all__ = ["Contents", "inspect", "load", "save"]
