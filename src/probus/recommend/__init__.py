"""Recommenders: what a user would like, from ratings, from implicit feedback, and from columns of users and items.

``MatrixFactorization`` has factors of users and items; ``Hybrid`` predicts them from columns too, for new users and
items; ``ContentBased`` uses columns alone; ``ItemNeighbors`` and ``UserNeighbors`` compare items or users; ``Biases``
and ``Popularity`` are the baselines. Each has ``fit(ratings)``, ``predict(pairs)`` and ``recommend(user)``.
``probus.resample``, ``compare`` and ``tune`` take them with a table of ratings; every score has an interval over users.
"""

from probus.borrowing import listing
from probus.recommend._columns import ColumnGuessWarning, find_columns
from probus.recommend._comparison import compare
from probus.recommend._content import ContentBased
from probus.recommend._evaluation import resample
from probus.recommend._factorization import Biases, MatrixFactorization
from probus.recommend._hybrid import Hybrid
from probus.recommend._neighbors import ItemNeighbors, UserNeighbors
from probus.recommend._popularity import Popularity
from probus.recommend._ratings import Ratings, RatingsWarning
from probus.recommend._recommendations import Recommendations
from probus.recommend._resampled import ResampledRecommender
from probus.recommend._splits import LeaveLastOut, TimeSplit, UserFolds
from probus.recommend._tuned import TunedRecommender, tune

__all__ = [
    "Biases",
    "ColumnGuessWarning",
    "ContentBased",
    "Hybrid",
    "ItemNeighbors",
    "LeaveLastOut",
    "MatrixFactorization",
    "Popularity",
    "Ratings",
    "RatingsWarning",
    "Recommendations",
    "ResampledRecommender",
    "TimeSplit",
    "TunedRecommender",
    "UserFolds",
    "UserNeighbors",
    "compare",
    "resample",
    "tune",
]

__dir__ = listing(globals())
