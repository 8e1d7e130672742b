"""Search spaces: which values the parameters of a model may have, and under which conditions.

``Space`` is a dict of names and parameters: ``Real``, ``Integer``, ``Choice``, ``Fixed``, each perhaps only ``when``
others have certain values. The tuners of ``probus.tuning`` search it.
"""

from probus.spaces.conditions import when
from probus.spaces.parameters import Choice, Fixed, Integer, Parameter, Real
from probus.spaces.space import Space

__all__ = ["Choice", "Fixed", "Integer", "Parameter", "Real", "Space", "when"]
