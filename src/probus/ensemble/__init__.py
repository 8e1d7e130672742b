"""Many models that answer together."""

__all__: list[str] = []
