"""Small data sets that come with Probus: typed, described, with source and licence; nothing is downloaded.

``names()`` lists them, ``info(name)`` describes one, ``load(name)`` or the function of that name gives the Table.
``recoils`` simulates images of particles.
"""

from probus.borrowing import listing
from probus.datasets._bundled import (
    adult,
    airquality,
    breast_cancer,
    german_credit,
    house_votes,
    housing,
    info,
    iris,
    load,
    mtcars,
    names,
    penguins,
    spam,
    titanic,
    zoo,
)
from probus.datasets._catalogue import Dataset
from probus.datasets._recoils import Recoils, recoils

__all__ = [
    "Dataset",
    "Recoils",
    "adult",
    "airquality",
    "breast_cancer",
    "german_credit",
    "house_votes",
    "housing",
    "info",
    "iris",
    "load",
    "mtcars",
    "names",
    "penguins",
    "recoils",
    "spam",
    "titanic",
    "zoo",
]

__dir__ = listing(globals())


def __getattr__(name: str) -> None:
    plain = name.removeprefix("load_").removeprefix("fetch_")
    hint = f" Use probus.datasets.{plain}()." if plain in names() else ""
    if name.startswith("make_"):
        hint = f" Use sklearn.datasets.{name}, whose arrays every model takes."
    elif name in ("list", "names_", "available", "all", "fetch_openml"):
        hint = " Use probus.datasets.names() and probus.datasets.load(name)."
    raise AttributeError(f"module 'probus.datasets' has no attribute {name!r}.{hint}")
