"""Splitting, resampling and the curves that come of it."""
