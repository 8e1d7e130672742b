"""What recommenders have in common: reading ratings, predictions for pairs, and lists of items for users."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Model
from probus.data import Table, is_frame
from probus.errors import DataError, ModelFileError
from probus.parallel import chunked, thread_count
from probus.parameters import attribute, parameter
from probus.recommend._columns import find_columns
from probus.recommend._ids import Ids, ids_of
from probus.recommend._kernels import first_items
from probus.recommend._ratings import Ratings, table_of
from probus.recommend._recommendations import Recommendations
from probus.recommend._side_tables import SideTable
from probus.state import Array, Flag, Labels, Number, Plain, Spec

_COLUMN = "The name of the column of {}; None finds it by its name, such as {}."
_CELLS = 2_000_000  # scores that a thread holds at a time


def _column(what: str, example: str) -> Any:
    return parameter(_COLUMN.format(what, example), default=None, of=[InstanceOf(str), NoneAllowed()])


USER, ITEM = _column("users", '"user_id"'), _column("items", '"movie"')
RATING, TIME = _column("ratings", '"rating"'), _column("times", '"timestamp"')
IMPLICIT = parameter(
    "Whether the ratings are implicit feedback: what users bought, visited or heard, perhaps with a count. The model "
    "then ranks items, and what a user does not have counts as probably not wanted.",
    default=False,
)
SCALE = parameter(
    "The lowest and the highest possible rating; others are an error, and predictions are on the scale. None is the "
    "range of the training ratings.",
    default=None,
    of=[InstanceOf(tuple), InstanceOf(list), NoneAllowed()],
)


class Recommender(Model):
    """Base class of recommenders: ``fit(ratings)``, ``predict(pairs)`` and ``recommend(user)``.

    ``ratings`` is a frame, a Table, a dict of columns or a path, with columns of users, items and, perhaps, ratings and
    times. ``verbs`` names the module whose ``resample``, ``compare`` and ``tune`` take recommenders.
    """

    verbs: ClassVar[str | None] = "probus.recommend"

    users_: np.ndarray = attribute()
    items_: np.ndarray = attribute()
    mean_: float = attribute()
    scale_: Any = attribute()
    columns_: dict[str, str] = attribute()
    rated_: bool = attribute()
    seen_starts_: np.ndarray = attribute()
    seen_items_: np.ndarray = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        "users_": Labels("U"),
        "items_": Labels("I"),
        "mean_": Number(),
        "scale_": Plain(),
        "columns_": Plain(),
        "rated_": Flag(),
        "seen_starts_": Array("i8", "S", low=0),
        "seen_items_": Array("i4", "N", low=0, high="I"),
    }

    @classmethod
    def fitted_state(cls) -> dict[str, Spec]:
        """Every attribute a fitted recommender may hold; it has no features."""
        return dict(cls.fitted)

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, ratings: Any, y: Any = None, *, users: Any = None, items: Any = None) -> Self:
        """Fit on a table of ratings; ``users`` and ``items`` are tables that describe them, for models that use these.

        Parameters
        ----------
        ratings : a frame, a Table, a dict of columns, or a path.
        y : not used: the ratings are a column of the table.
        users, items : tables with a row for each user, or item, and its id in a column of the same name.
        """
        if y is not None:
            raise DataError("fit(ratings, y).", "the ratings as a column of the table", "Pass fit(ratings).")
        data = self.read_ratings(ratings)
        if self.predicts_ratings and not getattr(self, "implicit", False):
            _warn_of_constant(data)
        return self.fit_ratings(data, *self.read_sides(data, users, items))

    def fit_ratings(self, data: Ratings, users: SideTable | None = None, items: SideTable | None = None) -> Self:
        """Fit on ratings and tables that were read before; users and items need not all have ratings."""
        self._validate_params()
        low, high = float(data.values.min()), float(data.values.max())
        given = getattr(self, "scale", None)
        self.users_, self.items_ = data.users.labels, data.items.labels
        self.mean_ = float(data.values.mean())
        self.scale_ = (low, high) if given is None else tuple(map(float, given))
        self.columns_ = data.columns.roles()
        implicit = not self.predicts_ratings or getattr(self, "implicit", False)
        self.rated_ = data.columns.rating is not None and not implicit
        self.seen_starts_ = data.by_user.indptr.astype(np.int64)
        self.seen_items_ = data.by_user.indices.astype(np.int32)
        self._fit(data, users, items)
        return self

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        raise NotImplementedError

    def read_ratings(self, ratings: Any) -> Ratings:
        """The ratings of a table, checked."""
        self._validate_params()
        given = {name: getattr(self, name, None) for name in ("user", "item", "rating", "time")}
        return Ratings.of(ratings, scale=self._checked_scale(), implicit=getattr(self, "implicit", False), **given)

    def read_sides(self, data: Ratings, users: Any, items: Any) -> tuple[SideTable | None, SideTable | None]:
        """The tables of users and items; an error for a model that uses none."""
        for what, side in (("users", users), ("items", items)):
            if side is not None:
                raise DataError(
                    f"{type(self).__name__}.fit({what}=…): the model uses ratings only.",
                    "a model of columns too, such as Hybrid or ContentBased",
                )
        return None, None

    def _checked_scale(self) -> tuple[float, float] | None:
        scale = getattr(self, "scale", None)
        if scale is None:
            return None
        if len(scale) != 2 or not all(isinstance(end, (int, float)) for end in scale) or not scale[0] < scale[1]:
            raise DataError(f"scale={scale!r}.", "the lowest and the highest rating, such as (1, 5)")
        return float(scale[0]), float(scale[1])

    # -- predictions -----------------------------------------------------------------------------------

    def predict(self, pairs: Any) -> np.ndarray:
        """The predicted rating of each pair of a user and an item; of implicit feedback, how well they fit.

        New users and items get what is known: the mean, and the bias of the item or of the user.
        """
        check_is_fitted(self)
        user, item = self._pairs(pairs)
        return self.predict_codes(user, item)

    def predict_codes(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        """The same for the numbers of users and items, −1 for new ones."""
        found = self._predict(user, item)
        return np.clip(found, *self.scale_) if self.rated_ else found

    def _predict(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _scores(self, user: np.ndarray) -> np.ndarray:
        """float64[n, I]: by what the items are ordered for each user."""
        raise NotImplementedError

    def _pairs(self, pairs: Any) -> tuple[np.ndarray, np.ndarray]:
        table = table_of(pairs)
        names = self.columns_ if self.columns_["user"] in table and self.columns_["item"] in table else None
        if names is None:
            own = {name: getattr(self, name, None) for name in ("user", "item")}
            names = find_columns(table, **own, rated=False).roles()
        user, item = ids_of(table[names["user"]], "user"), ids_of(table[names["item"]], "item")
        return Ids(self.users_).codes(user), Ids(self.items_).codes(item)

    def recommend(
        self,
        user: Any = None,
        n: int = 10,
        *,
        exclude_rated: bool = True,
        candidates: Any = None,
    ) -> Recommendations:
        """The n best items for a user, or for each of several.

        Parameters
        ----------
        user : an id, a list of ids, or None for all users.
        n : the number of items.
        exclude_rated : whether items that the user has rated are left out.
        candidates : the items to choose from; None for all.

        Returns
        -------
        The items with their scores; it prints itself.
        """
        check_is_fitted(self)
        _check_n(n)
        asked = self._asked(user)
        codes = Ids(self.users_).codes(asked)
        allowed = self._allowed(candidates)
        found, scores = self.top(codes, min(int(n), len(self.items_)), exclude_rated=exclude_rated, allowed=allowed)
        scores = np.clip(scores, *self.scale_) if self.rated_ else scores
        sizes = (found >= 0).sum(axis=1)
        new = self._is_new(codes)
        return Recommendations(
            users=tuple(asked.tolist()),
            items=tuple(self.items_[row[:size]] for row, size in zip(found, sizes, strict=True)),
            scores=tuple(row[:size] for row, size in zip(scores, sizes, strict=True)),
            unknown=tuple(asked[new].tolist()),
            what="rating" if self.rated_ else "score",
        )

    predicts_ratings: ClassVar[bool] = True  # False where ``predict`` returns another score

    def _is_new(self, codes: np.ndarray) -> np.ndarray:
        known = np.append(np.diff(self.seen_starts_), 0)
        return np.asarray(known[codes] == 0)

    def _asked(self, user: Any) -> np.ndarray:
        if user is None:
            return self.users_
        if isinstance(user, (Table, Mapping)) or is_frame(user):
            raise DataError("a table of users.", "the ids of users in a list")
        listed = [user] if isinstance(user, (str, bytes)) or not isinstance(user, Iterable) else list(user)
        if not listed:
            raise DataError("an empty list of users.", "at least one user, or None for all")
        asked = np.empty(len(listed), dtype=object)
        asked[:] = listed
        return asked

    def _allowed(self, candidates: Any) -> np.ndarray | None:
        if candidates is None:
            return None
        codes = Ids(self.items_).codes(list(candidates))
        if not (codes >= 0).any():
            raise DataError("none of the candidates is a known item.", "ids of items that have ratings")
        allowed = np.zeros(len(self.items_), dtype=bool)
        allowed[codes[codes >= 0]] = True
        return allowed

    def top(
        self, user: np.ndarray, n: int, *, exclude_rated: bool = True, allowed: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """int32[m, n] and float64[m, n]: the best items for the numbers of users, and their scores; −1 after the last.

        Equal scores are in the order of the items.
        """
        chunk = max(1, _CELLS // max(len(self.items_), 1))
        out = np.full((len(user), n), -1, dtype=np.int32)
        scored = np.full((len(user), n), np.nan)

        def some(start: int, stop: int) -> None:
            scores = np.ascontiguousarray(self._scores(user[start:stop]), dtype=np.float64)
            if allowed is not None:
                scores[:, ~allowed] = -np.inf
            if exclude_rated:
                for row, u in enumerate(user[start:stop]):
                    if u >= 0:
                        scores[row, self.seen_items_[self.seen_starts_[u] : self.seen_starts_[u + 1]]] = -np.inf
            first_items(scores, n, out[start:stop])
            found = out[start:stop]
            rows = np.arange(len(found))[:, None]
            scored[start:stop] = np.where(found >= 0, scores[rows, np.maximum(found, 0)], np.nan)

        threads = thread_count(getattr(self, "n_jobs", None), 20.0 * len(user) * len(self.items_))
        chunked(some, len(user), threads, chunk=chunk)
        return out, scored

    def check_fitted_state(self) -> None:
        """Raise where the ratings of a file contradict the numbers of users and items."""
        starts = self.seen_starts_
        right = len(starts) == len(self.users_) + 1 and starts[0] == 0 and starts[-1] == len(self.seen_items_)
        if not right or (np.diff(starts) < 0).any() or not {"user", "item"} <= set(self.columns_):
            raise ModelFileError(
                "ratings that do not belong to the users.", "the items of each user, one after another"
            )
        if not (isinstance(self.scale_, (tuple, list)) and len(self.scale_) == 2):
            raise ModelFileError("a scale without two ends.", "the lowest and the highest rating")


def _warn_of_constant(data: Ratings) -> None:
    """Warn where all ratings are the same, from which nothing can be learnt."""
    if len(data) > 1 and data.values.min() == data.values.max():
        found = f"all ratings are {data.values[0]:g}" if data.columns.rating else "the table has no column of ratings"
        warnings.warn(
            f"{found}: every prediction is the same. MatrixFactorization(implicit=True) learns from what users have.",
            stacklevel=3,
        )


def _check_n(n: Any) -> None:
    if not isinstance(n, (int, np.integer)) or isinstance(n, bool) or n < 1:
        raise DataError(f"n={n!r}.", "how many items, 1 or more")
