"""Drawings of pipelines and graphs as methods."""

from __future__ import annotations

from typing import Any


class Drawable:
    """A model that notebooks display as a drawing."""

    def to_svg(self) -> str:
        """The drawing as SVG, in the colours of the text around it."""
        return _diagram(self).to_svg()

    def to_text(self) -> str:
        """A line for each part, for terminals."""
        return repr(_diagram(self))

    def _html_repr(self) -> str:
        return _diagram(self)._repr_html_()


def _diagram(model: Any) -> Any:
    from probus.pipeline._diagram import diagram

    return diagram(model)
