"""``python -m research.unseen export FOLDER``, then ``… defaults|study FOLDER [table …]``: fresh tables.

Tables of R's packages, written as csv by R itself (Debian: r-cran-aer, -cardata, -hsaur3, -mass, -modeldata, -plm,
-th.data, -survival, -kernlab). Targets were named before anything was measured on them, and every table with a plain
target was taken, unless it is also among ``research.tables``. ``defaults``: log loss or RMSE of untuned boosting on
three random splits. ``study``: a study of one half, judged on the other, with what it reports about itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from research.defaults import loss_of, summary
from research.tables import Real, read_table

ROWS = 6000  # at most, drawn at random
SECONDS = float(os.environ.get("PROBUS_STUDY_SECONDS", "15"))
PACKAGES = ("AER", "carData", "HSAUR3", "MASS", "modeldata", "plm", "TH.data", "survival", "kernlab")
EXPORT = """
for (p in c({packages})) for (d in sub(" .*", "", data(package=p)$results[, "Item"])) try({{
  e <- new.env(); data(list=d, package=p, envir=e); x <- get(d, envir=e)
  if (is.data.frame(x) && nrow(x) >= 200 && ncol(x) >= 4)
    write.csv(as.data.frame(x), file.path("{folder}", paste0(p, "_", d, ".csv")), row.names=FALSE, na="")
}}, silent=TRUE)
"""
# table, target, and columns that are no features: names, times of the event, other forms of the target
CLASSES = """
AER_BankWages job; AER_CreditCard card expenditure share; AER_HMDA deny; AER_HealthInsurance insurance
AER_PSID1976 participation hours wage repwage; AER_ResumeNames call name; AER_SmokeBan smoker
AER_SwissLabor participation; carData_Arrests released; carData_BEPS vote; carData_CES11 abortion id; carData_Chile vote
carData_Cowles volunteer; carData_Mroz lfp; carData_TitanicSurvival survived; carData_WVS poverty; carData_Wells switch
carData_Womenlf partic; HSAUR3_CHFLS R_happy; HSAUR3_respiratory status subject; MASS_Aids2 status death
MASS_bacteria y ID; MASS_crabs sp index; MASS_Melanoma status time; MASS_shuttle use; modeldata_ad_data Class
modeldata_attrition Attrition; modeldata_cells class case; modeldata_credit_data Status; modeldata_hpc_data class
modeldata_lending_club Class; modeldata_mlc_churn churn; modeldata_pd_speech class; modeldata_stackoverflow Remote
modeldata_wa_churn churn; TH.data_GBSG2 cens time; TH.data_mammoexp ME; survival_flchain death futime chapter
survival_nwtco rel seqno edrel; survival_pbc status id time; kernlab_musk Class; kernlab_ticdata CARAVAN
"""
NUMBERS = """
AER_CASchools math district school; AER_CollegeDistance education; AER_CPS1985 wage; AER_CPS1988 wage
AER_CPSSW8 earnings; AER_DoctorVisits visits; AER_GSOEP9402 income; AER_Guns violent; AER_HousePrices price
AER_MASchools score4 district municipality score8; AER_Municipalities expenditures; AER_NMES1988 visits
AER_TeachingRatings eval prof; carData_Blackmore exercise subject; carData_Ornstein interlocks; carData_SLID wages
carData_Salaries salary; carData_Vocab vocabulary; carData_Wong piq id; HSAUR3_Forbes2000 marketvalue rank name
MASS_cpus perf name estperf; MASS_nlschools lang; modeldata_ames Sale_Price; modeldata_biomass HHV sample
modeldata_car_prices Price; modeldata_check_times check_time package; modeldata_Chicago ridership date
modeldata_concrete compressive_strength; modeldata_meats protein water fat; modeldata_Sacramento price; plm_Cigar sales
plm_Males wage; plm_Produc gsp; plm_RiceFarms goutput id noutput; plm_Wages lwage
"""


def named() -> Iterator[tuple[str, str, tuple[str, ...], bool]]:
    """The file of each table, its target, columns that are left out, and whether its target is a class."""
    for text, classes in ((CLASSES, True), (NUMBERS, False)):
        for entry in text.replace("\n", ";").split(";"):
            if words := entry.split():
                yield f"{words[0]}.csv", words[1], tuple(words[2:]), classes


def tables(folder: Path, only: list[str]) -> Iterator[Real]:
    """At most ``ROWS`` rows of each table."""
    for file, target, left_out, classes in named():
        if only and Path(file).stem not in only:
            continue
        table = read_table(folder, file, target, left_out, classes)
        rows = np.random.default_rng(1).permutation(len(table.y))[:ROWS]
        y = np.unique(table.y[rows], return_inverse=True)[1] if classes else table.y[rows]
        yield replace(table, X=table.X.iloc[rows].reset_index(drop=True), y=y)


def export(folder: Path) -> None:
    packages = ", ".join(f'"{name}"' for name in PACKAGES)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["Rscript", "-e", EXPORT.format(packages=packages, folder=folder)], check=True)
    (folder / "kinds.json").write_text("{}")


def defaults(folder: Path, only: list[str]) -> None:
    """Losses of untuned boosting, ours and peers', and mean ranks; kept in a file beside the tables."""
    file = folder / "defaults.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    for table in tables(folder, only):
        rng = np.random.default_rng(2)
        orders = [rng.permutation(len(table.y)) for _ in range(3)]
        cut = int(0.7 * len(table.y))
        for model in ("ours", "catboost", "lightgbm"):
            if model in found.get(table.name, {}):
                continue
            pairs = [loss_of(model, table, order[:cut], order[cut:]) for order in orders]
            found.setdefault(table.name, {})[model] = [float(np.mean([p[i] for p in pairs])) for i in (0, 1)]
            print(table.name, len(table.y), model, *(f"{v:.4f}" for v in found[table.name][model]), flush=True)
            file.write_text(json.dumps(found, indent=1))
    print(summary(found))


def studies(folder: Path, only: list[str]) -> None:
    """A study of a random half (and FLAML, where it is installed), judged on the other half."""
    from research.study import contest

    for table in tables(folder, only):
        for line in contest(table, SECONDS, 0):
            print(line, flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    options = ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("export", "defaults", "study"))
    options.add_argument("folder", type=Path)
    options.add_argument("tables", nargs="*")
    chosen = options.parse_args()
    if chosen.what == "export":
        export(chosen.folder)
    else:
        {"defaults": defaults, "study": studies}[chosen.what](chosen.folder, chosen.tables)
