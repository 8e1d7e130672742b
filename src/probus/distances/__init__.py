"""How far apart two rows are.

``Gower`` measures typed rows as they are: numbers by range, ordinals by rank, levels by equality, missing values left
out. ``topk`` keeps the nearest rows of a stream of distances; every exact search in Probus ends in it.
"""

from probus.distances.gower import Gower, gower_distances
from probus.distances.matrix import pairwise_distances

__all__ = ["Gower", "gower_distances", "pairwise_distances"]
