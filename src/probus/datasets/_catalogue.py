"""Descriptions of the bundled data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Dataset:
    """The description of a data set.

    Attributes
    ----------
    name : the name.
    rows, columns : its size.
    target : the column that is usually predicted.
    task : "classification" or "regression".
    description, source, licence : what it is about, where it comes from, and its licence.
    kinds : the kinds of columns that their dtypes do not show.
    """

    name: str
    rows: int
    columns: int
    target: str
    task: Literal["classification", "regression"]
    description: str
    source: str
    licence: str
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)  # if dtypes are not enough

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


_UCI = "UCI Machine Learning Repository, doi:10.24432/"
_GRADES = (
    "clump_thickness", "cell_size", "cell_shape", "marginal_adhesion", "epithelial_cell_size", "bare_nuclei",
    "bland_chromatin", "normal_nucleoli", "mitoses",
)  # fmt: skip

_DATASETS = (
    Dataset(
        "iris", 150, 5, "species", "classification",
        "Sepal and petal lengths and widths, in cm, of fifty flowers of each of three species.",
        f"Fisher (1936), measured by Anderson (1935); as in R's package datasets. {_UCI}C56C76",
        "CC BY 4.0",
    ),
    Dataset(
        "penguins", 344, 8, "species", "classification",
        "Bill, flipper and body mass of three species of penguin near Palmer Station, Antarctica, 2007–2009; "
        "19 values missing.",
        "Gorman, Williams and Fraser (2014), PLoS ONE 9(3) e90081; R package palmerpenguins (Horst, Hill and Gorman)",
        "CC0 1.0",
    ),
    Dataset(
        "titanic", 891, 12, "Survived", "classification",
        "Passengers of the Titanic: class, sex, age, relatives aboard, ticket, fare, cabin, port, and survival. "
        "A fifth of the ages and most cabins are missing.",
        "Passenger list of Encyclopedia Titanica, as compiled by the Department of Biostatistics, Vanderbilt "
        "University (titanic3); the 891 rows commonly used for training",
        "Historical facts; published without a licence",
        {"Pclass": "ordinal"},
    ),
    Dataset(
        "mtcars", 32, 12, "mpg", "regression",
        "Fuel consumption (miles per gallon) and ten aspects of design of 32 cars, models 1973–74.",
        "Henderson and Velleman (1981), from Motor Trend 1974; R's package datasets",
        "Published facts; distributed with R (GPL-2 or GPL-3)",
        {"vs": "binary", "am": "binary"},
    ),
    Dataset(
        "airquality", 153, 6, "ozone", "regression",
        "Ozone (ppb), solar radiation (langley), wind (mph) and temperature (°F) in New York, May to September 1973; "
        "37 ozone and 7 radiation readings missing.",
        "New York State Department of Conservation and National Weather Service, in Chambers et al. (1983); "
        "R's package datasets",
        "Published facts; distributed with R (GPL-2 or GPL-3)",
    ),
    Dataset(
        "breast_cancer", 699, 11, "class", "classification",
        "Nine features of cells from fine-needle biopsies, each graded 1 to 10; 16 grades missing. The original "
        "Wisconsin set, not the diagnostic one that scikit-learn ships.",
        f"Wolberg, University of Wisconsin Hospitals, 1989–1991. {_UCI}C5HP4Z; R package mlbench",
        "CC BY 4.0",
        dict.fromkeys(_GRADES, "ordinal"),
    ),
    Dataset(
        "spam", 4601, 58, "type", "classification",
        "E-mails by the percentage of words and signs that are a given word or sign, and runs of capital letters.",
        f"Hopkins, Reeber, Forman and Suermondt, Hewlett-Packard Labs, 1999. {_UCI}C53G6X; R package kernlab",
        "CC BY 4.0",
    ),
    Dataset(
        "adult", 8000, 15, "class", "classification",
        "People of the 1994 US census and whether they earn over 50,000 dollars a year; education in order, '?' made "
        "missing. A random 8,000 of the 48,842 rows (polars sample, seed 1994).",
        f"Becker and Kohavi (1996). {_UCI}C5XW20",
        "CC BY 4.0",
        {"education": "ordinal"},
    ),
    Dataset(
        "housing", 20640, 9, "MedHouseVal", "regression",
        "Median house value (100,000 dollars) of block groups of California in the 1990 census, with income, age, "
        "rooms, population and place. Values are capped at 5.",
        "Pace and Barry (1997), Sparse Spatial Autoregressions; StatLib; names as in scikit-learn",
        "Facts from the US census; published without a licence",
    ),
    Dataset(
        "house_votes", 435, 17, "party", "classification",
        "Sixteen key votes of the US House of Representatives, 1984; missing where a member took no position.",
        f"Congressional Quarterly Almanac 1984, by Schlimmer (1987). {_UCI}C5C01P; R package mlbench",
        "CC BY 4.0",
    ),
    Dataset(
        "zoo", 101, 17, "type", "classification",
        "Animals by traits such as feathers, milk or venom; seven classes, the smallest of four animals.",
        f"Forsyth (1990). {_UCI}C5R59V; R package mlbench",
        "CC BY 4.0",
    ),
    Dataset(
        "german_credit", 1000, 22, "risk", "classification",
        "Loans of a German bank, 1973–75: account, history, purpose, amount, person; good or bad risk. Codes are "
        "written out, and sex and marital status are separate columns; Grömping (2019) doubts the coding of some of "
        "them, sex included.",
        f"Hofmann (1994), Statlog. {_UCI}C5NC77",
        "CC BY 4.0",
        {"employment": "ordinal", "job": "ordinal"},
    ),
)  # fmt: skip

CATALOGUE: dict[str, Dataset] = {dataset.name: dataset for dataset in _DATASETS}
