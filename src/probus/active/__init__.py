"""Active learning: which rows are worth a label.

A ``Learner`` asks for the labels of the rows that its model learns most from, by a strategy of ``queries``, and keeps
every answer in an archive. ``simulate`` measures on labelled data what a strategy would gain. ``probus label`` asks a
person.
"""

from probus.active._label_curve import LabelCurve, Stopping
from probus.active._learner import Learner, Question
from probus.active._simulation import Simulation, simulate
from probus.active.queries import QUERIES, Query, Situation
from probus.borrowing import listing

__all__ = ["QUERIES", "LabelCurve", "Learner", "Query", "Question", "Simulation", "Situation", "Stopping", "simulate"]

__dir__ = listing(globals())
