"""``PROBUS_BENCH_DATA=folder python -m research.unlabelled_rows [table …]``: do rows without labels help?

Of each table 30 % of the rows are tested, 40 of the others have a label and the rest have none, in eight random splits.
The models of ``probus.semi_supervised`` with their default parameters are compared with their estimator on the 40
labels by the corrected resampled t-test. Nothing was chosen on tables: all of them judge.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from probus.comparison import corrected_resampled_ttest
from probus.linear_model import LogisticRegression
from probus.pipeline import tabular
from probus.semi_supervised import ClusterThenLabel, CoTrainingClassifier, SelfTrainingClassifier
from research.active_queries import rows_of

TABLES = (
    "penguins", "HouseVotes84", "BreastCancer", "titanic_passengers", "PimaIndiansDiabetes2", "german_credit", "Sonar",
    "Glass", "spam", "adult",
)  # fmt: skip
_LABELS, _SPLITS, _TESTED = 40, 8, 0.3


def models() -> dict[str, Any]:
    """The model alone, and those that use unlabelled rows."""
    model = LogisticRegression()
    return {
        "alone": model,
        "self-training": SelfTrainingClassifier(model),
        "safety net": SelfTrainingClassifier(model, max_distance=0.05),
        "clusters": ClusterThenLabel(model, random_state=0),
        "co-training": CoTrainingClassifier(model, random_state=0),
    }


def main() -> None:
    """Run the experiment."""
    parser = ArgumentParser()
    parser.add_argument("tables", nargs="*")
    warnings.simplefilter("ignore")
    for table in parser.parse_args().tables or TABLES:
        X, y = rows_of(table)
        scores: dict[str, list[float]] = {name: [] for name in models()}
        for seed in range(_SPLITS):
            train, test = train_test_split(np.arange(len(y)), test_size=_TESTED, random_state=seed, stratify=y)
            known = np.random.default_rng(seed).permutation(len(train))[:_LABELS]
            labels = np.full(len(train), -1)
            labels[known] = y[train][known]
            for name, model in models().items():
                rows, target = (train[known], labels[known]) if name == "alone" else (train, labels)
                fitted = tabular(model).fit(X.take(rows), target)
                scores[name].append(float((fitted.predict(X.take(test)) == y[test]).mean()))
        print(f"{table}: {np.mean(scores['alone']):.3f} alone")
        for name in list(scores)[1:]:
            found = corrected_resampled_ttest(scores[name], scores["alone"], _TESTED / (1 - _TESTED))
            print(f"  {name:14} {found.effect}  p {found.pvalue:.3f}", flush=True)


if __name__ == "__main__":
    main()
