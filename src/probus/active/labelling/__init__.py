"""A person as the oracle: one local page that asks for labels.

``LabellingSession`` is the state of the page, ``label_page`` the page; ``LabelServer`` serves it on this machine only.
"""

from probus.active.labelling._label_page import label_page
from probus.active.labelling._label_server import LabelServer
from probus.active.labelling._session import LabellingSession

__all__ = ["LabelServer", "LabellingSession", "label_page"]
