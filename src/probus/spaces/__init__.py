"""Search spaces: which values the parameters of a model may have, and under which conditions.

``Space`` is a dict of names and parameters: ``Real``, ``Integer``, ``Choice``, ``Fixed``, each perhaps only ``when``
others have certain values. ``search_space`` has that of a model. The tuners of ``probus.tuning`` search it.
"""

from probus.borrowing import listing
from probus.spaces._conditions import Conditional, when
from probus.spaces._model_spaces import search_space
from probus.spaces._parameters import Choice, Fixed, Integer, Parameter, Real
from probus.spaces._space import Space

__all__ = ["Choice", "Conditional", "Fixed", "Integer", "Parameter", "Real", "Space", "search_space", "when"]

__dir__ = listing(globals())
