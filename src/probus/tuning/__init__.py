"""Search of good parameters: spaces, and tuners that propose configurations."""

from probus.spaces import Choice, Fixed, Integer, Real, Space, when
from probus.tuning.grid_search import Grid
from probus.tuning.random_search import Random
from probus.tuning.tuner import Trial, Tuner

__all__ = ["Choice", "Fixed", "Grid", "Integer", "Random", "Real", "Space", "Trial", "Tuner", "when"]
