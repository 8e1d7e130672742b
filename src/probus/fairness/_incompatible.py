"""Which criteria cannot hold together, by the base rates of the groups."""

from __future__ import annotations

import numpy as np

from probus.display import rounded
from probus.fairness._groups import Groups
from probus.fairness._intervals import largest_difference
from probus.fairness._rates import RATES, Decisions, rates_of, values_of
from probus.metrics import Outcome


def incompatibility(outcome: Outcome, groups: Groups, level: float) -> str | None:
    r"""In a sentence with the numbers, what different base rates exclude; None where they may be equal.

    With the base rate p, predictive value v and true positive rate, the false positive rate is
    :math:`\frac{p}{1-p}\,\frac{1-v}{v}\,\mathrm{TPR}` (Chouldechova 2017): groups of different p that share v and TPR
    have different false positive rates.

    Parameters
    ----------
    outcome : truth and predictions of two classes.
    groups : of the rows.
    level : the confidence level at which base rates have to differ.

    Returns
    -------
    The sentence.
    """
    decisions = Decisions.of_outcome(outcome)
    base = values_of(RATES["base_rate"], decisions, groups)
    known = groups.counts >= 10
    if known.sum() < 2:
        return None
    base.values[~known] = np.nan
    if largest_difference(base, level).low <= 0:
        return None
    everybody = Groups("rows", ("all",), np.zeros(len(groups.codes), np.int64))
    v, tpr = (
        float(rates_of(RATES[name], decisions, everybody).values[0])
        for name in ("positive_predictive_value", "true_positive_rate")
    )
    low, high = int(np.nanargmin(base.values)), int(np.nanargmax(base.values))
    rates = [float(base.values[code]) for code in (low, high)]
    shown = " and ".join(f"{rounded(p, 2)} for {groups.labels[c]}" for p, c in zip(rates, (low, high), strict=True))
    text = (
        f"base rates by {groups.name} differ ({shown}): demographic parity and equalised odds cannot both hold unless "
        "decisions ignore the label"
    )
    if not (0 < v < 1 and tpr > 0 and max(rates) < 1):
        return text
    implied = " and ".join(rounded(p / (1 - p) * (1 - v) / v * tpr, 2) for p in rates)
    return (
        f"{text}, nor predictive parity and equalised odds: with the PPV of {rounded(v, 2)} and the TPR of "
        f"{rounded(tpr, 2)} of all rows, false positive rates would be {implied}"
    )
