"""Penalties on coefficients: their value, their proximal operator, and how far a point is from being optimal.

``separable`` penalties are sums over coefficients: absolute values, squares and bounds. ``grouped`` ones are on the
norms of groups, ``concave`` ones level off for large coefficients and are not convex. A new penalty is a subclass of
``Penalty``: a frozen dataclass with ``value``, ``prox`` and ``violation``.
"""

from probus.linear_model.penalties._concave import MCP, SCAD, Concave
from probus.linear_model.penalties._grouped import GroupL2
from probus.linear_model.penalties._penalty import Penalty
from probus.linear_model.penalties._separable import L1, L1L2, L2, Box, NoPenalty, Separable, WeightedL1

__all__ = ["L1", "L1L2", "L2", "MCP", "SCAD", "Box", "Concave", "GroupL2", "NoPenalty", "Penalty", "Separable",
           "WeightedL1"]  # fmt: skip
