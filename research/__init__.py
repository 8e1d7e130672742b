"""Experiments behind rules, defaults and statements of the documentation; README.md has a line for each."""
