"""Tests between models, leaderboards, and what may be concluded."""

from probus.comparison.difference_diagram import difference_diagram

__all__ = ["difference_diagram"]
