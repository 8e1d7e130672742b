"""The command line: ``probus`` and ``python -m probus``.

One file per command; each imports what is heavy only when it runs, so that help comes at once.
"""

from probus.cli._app import app, main

__all__ = ["app", "main"]
