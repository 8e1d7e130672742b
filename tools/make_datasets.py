"""Make the files of probus.datasets from raw data: ``python tools/make_datasets.py RAW [OUT]``.

RAW is a folder with iris.csv, mtcars.csv, airquality.csv, BreastCancer.csv, spam.csv, HouseVotes84.csv and Zoo.csv as
R's packages datasets, mlbench and kernlab export them, and penguins, titanic_passengers, adult, california_housing
and german_credit as parquet. Columns get readable names and levels; levels become enums in the order they are meant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl

from probus.data._column import natural_order

ADULT_ROWS, ADULT_SEED = 8_000, 1994
OUT = Path(__file__).parent.parent / "src/probus/datasets/files"


def main(raw: Path, out: Path) -> None:
    """Write every data set."""
    for name, make in MAKERS.items():
        frame = make(raw)
        frame.write_parquet(out / f"{name}.parquet", compression="zstd", compression_level=22, statistics=False)
        size = (out / f"{name}.parquet").stat().st_size
        print(f"{name:14} {frame.height:6} × {frame.width:2}  {size / 1024:7.1f} KiB")


def csv(path: Path) -> pl.DataFrame:
    """A frame of R's making: every row tells the types, an empty cell is missing."""
    return pl.read_csv(path, infer_schema_length=None, null_values=[""])


def as_levels(column: pl.Series, order: list[str] | None = None) -> pl.Series:
    """Strings as an enum, in the order given or the natural one."""
    return column.cast(pl.Enum(order or list(natural_order(column.drop_nulls().unique().to_list()))))


def with_levels(frame: pl.DataFrame, **orders: list[str]) -> pl.DataFrame:
    """The frame with its string columns as enums, in the order given or the natural one."""
    strings = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(*(as_levels(frame[name], orders.get(name)) for name in strings))


def iris(raw: Path) -> pl.DataFrame:
    """Fisher's irises, as R has them (UCI's copy differs in two rows)."""
    frame = csv(raw / "iris.csv")
    return with_levels(frame.rename(lambda name: name.lower().replace(".", "_")))


def penguins(raw: Path) -> pl.DataFrame:
    """The Palmer penguins."""
    return with_levels(pl.read_parquet(raw / "penguins.parquet"))


def titanic(raw: Path) -> pl.DataFrame:
    """The passenger list; Name stays text."""
    frame = pl.read_parquet(raw / "titanic_passengers.parquet")
    survived = pl.col("Survived").replace_strict({0: "no", 1: "yes"})
    return with_levels(frame.with_columns(survived)).with_columns(frame["Name"])


def mtcars(raw: Path) -> pl.DataFrame:
    """Road tests; the name of the car stays text."""
    return csv(raw / "mtcars.csv")


def airquality(raw: Path) -> pl.DataFrame:
    """New York, summer of 1973."""
    frame = csv(raw / "airquality.csv")
    return frame.rename(str.lower).rename({"solar.r": "solar", "temp": "temperature"})


def breast_cancer(raw: Path) -> pl.DataFrame:
    """Wisconsin (original)."""
    names = [
        "id", "clump_thickness", "cell_size", "cell_shape", "marginal_adhesion", "epithelial_cell_size",
        "bare_nuclei", "bland_chromatin", "normal_nucleoli", "mitoses", "class",
    ]  # fmt: skip
    frame = csv(raw / "BreastCancer.csv")
    return with_levels(frame.rename(dict(zip(frame.columns, names, strict=True))))


def spam(raw: Path) -> pl.DataFrame:
    """Spambase, with kernlab's names."""
    return with_levels(csv(raw / "spam.csv"))


def adult(raw: Path) -> pl.DataFrame:
    """A random part of the census extract; '?' becomes missing, education gets its order."""
    frame = pl.read_parquet(raw / "adult.parquet").sample(ADULT_ROWS, seed=ADULT_SEED)
    frame = frame.with_columns(pl.col(pl.String).replace("?", None))
    ranks = frame.select("education", "education-num").unique().sort("education-num")
    assert ranks["education-num"].is_unique().all()
    return with_levels(frame, education=ranks["education"].to_list())


def housing(raw: Path) -> pl.DataFrame:
    """California, whole."""
    return pl.read_parquet(raw / "california_housing.parquet")


def house_votes(raw: Path) -> pl.DataFrame:
    """The votes of 1984, named as UCI names them."""
    names = [
        "party", "handicapped_infants", "water_project_cost_sharing", "adoption_of_the_budget_resolution",
        "physician_fee_freeze", "el_salvador_aid", "religious_groups_in_schools", "anti_satellite_test_ban",
        "aid_to_nicaraguan_contras", "mx_missile", "immigration", "synfuels_corporation_cutback",
        "education_spending", "superfund_right_to_sue", "crime", "duty_free_exports",
        "export_administration_act_south_africa",
    ]  # fmt: skip
    frame = csv(raw / "HouseVotes84.csv")
    return with_levels(frame.rename(dict(zip(frame.columns, names, strict=True))))


def zoo(raw: Path) -> pl.DataFrame:
    """Animals; true or false, the number of legs, the class."""
    return with_levels(csv(raw / "Zoo.csv"))


def german_credit(raw: Path) -> pl.DataFrame:
    """Statlog's German credit, with the codes of its documentation written out and sex and marital status apart."""
    frame = pl.read_parquet(raw / "german_credit.parquet")
    named = dict(zip(frame.columns, GERMAN_NAMES, strict=True))
    frame = frame.rename(named).with_columns(pl.col("credit_risk").cast(pl.String))
    decoded = (as_levels(frame[name].replace_strict(code), [*code.values()]) for name, code in GERMAN_CODES.items())
    frame = frame.with_columns(*decoded)
    person = frame["personal"]
    sex = person.replace_strict({"A91": "male", "A92": "female", "A93": "male", "A94": "male"}).alias("sex")
    marital = {"A91": "divorced", "A92": "divorced or married", "A93": "single", "A94": "married or widowed"}
    frame = frame.with_columns(sex, person.replace_strict(marital).alias("marital"))
    order = [name for name in GERMAN_NAMES if name not in ("personal", "credit_risk")]
    return with_levels(frame.select(*order, "sex", "marital", "credit_risk")).rename({"credit_risk": "risk"})


GERMAN_NAMES = [
    "checking", "duration", "history", "purpose", "amount", "savings", "employment", "instalment_rate", "personal",
    "other_debtors", "residence", "property", "age", "other_plans", "housing", "credits", "job", "dependants",
    "telephone", "foreign_worker", "credit_risk",
]  # fmt: skip
GERMAN_CODES = {
    "checking": {"A11": "< 0 DM", "A12": "0 to 200 DM", "A13": ">= 200 DM", "A14": "no account"},
    "history": {
        "A30": "no credits or all paid back", "A31": "all at this bank paid back", "A32": "existing paid back so far",
        "A33": "delay in the past", "A34": "critical account",
    },
    "purpose": {
        "A40": "new car", "A41": "used car", "A42": "furniture", "A43": "radio or television", "A44": "appliances",
        "A45": "repairs", "A46": "education", "A48": "retraining", "A49": "business", "A410": "others",
    },
    "savings": {
        "A61": "< 100 DM", "A62": "100 to 500 DM", "A63": "500 to 1000 DM", "A64": ">= 1000 DM",
        "A65": "none or not known",
    },
    "employment": {
        "A71": "unemployed", "A72": "< 1 year", "A73": "1 to 4 years", "A74": "4 to 7 years", "A75": ">= 7 years",
    },
    "other_debtors": {"A101": "none", "A102": "co-applicant", "A103": "guarantor"},
    "property": {
        "A121": "real estate", "A122": "building society or life insurance", "A123": "car or other",
        "A124": "none or not known",
    },
    "other_plans": {"A141": "bank", "A142": "stores", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "for free"},
    "job": {
        "A171": "unskilled, not resident", "A172": "unskilled, resident", "A173": "skilled",
        "A174": "management or self-employed",
    },
    "telephone": {"A191": "no", "A192": "yes"},
    "foreign_worker": {"A202": "no", "A201": "yes"},
    "credit_risk": {"1": "good", "2": "bad"},
}  # fmt: skip

MAKERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    maker.__name__: maker
    for maker in (
        iris, penguins, titanic, mtcars, airquality, breast_cancer, spam, adult, housing, house_votes, zoo,
        german_credit,
    )
}  # fmt: skip

if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else OUT)
