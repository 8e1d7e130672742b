"""Fairness: whether a model treats groups of people alike, by which criterion, and with which uncertainty.

The comparisons have fairlearn's names, and intervals: a difference between groups that holds for every pair of them.
"""

from typing import Any

from probus.borrowing import listing
from probus.fairness._alike import AlikeRows, alike_rows
from probus.fairness._audit import Audit, GroupTable, audit
from probus.fairness._bias_sources import BiasSource, BiasSources, bias_sources
from probus.fairness._criteria import CRITERIA, Criterion, Verdict
from probus.fairness._derived_metrics import GROUP_EXTREMES, make_derived_metric
from probus.fairness._fair_boosting import FairBoosting
from probus.fairness._fair_logistic import FairLogisticRegression
from probus.fairness._fair_loss import FairLogLoss
from probus.fairness._frontier import Frontier, FrontierPoint, frontier
from probus.fairness._gaps import (
    DERIVED_GAPS,
    Gap,
    accuracy_equality_difference,
    accuracy_equality_ratio,
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equal_opportunity_ratio,
    equalized_odds_difference,
    equalized_odds_ratio,
    predictive_parity_difference,
    predictive_parity_ratio,
)
from probus.fairness._group_intervals import MetricInterval, MetricIntervals
from probus.fairness._group_quantiles import GroupQuantiles
from probus.fairness._group_sampler import GroupSampler
from probus.fairness._group_thresholds import GroupThresholds
from probus.fairness._groups import GroupCoder, GroupWarning, groups_of
from probus.fairness._metric_frame import MetricFrame
from probus.fairness._overall_rates import (
    count,
    false_negative_rate,
    false_positive_rate,
    mean_prediction,
    selection_rate,
    true_negative_rate,
    true_positive_rate,
)
from probus.fairness._questions import QUESTIONS
from probus.fairness._reductions import ExponentiatedGradient
from probus.fairness._reweigh import Reweigh
from probus.fairness._threshold_rules import ThresholdRule

__all__ = [
    "CRITERIA",
    "QUESTIONS",
    "AlikeRows",
    "Audit",
    "BiasSource",
    "BiasSources",
    "Criterion",
    "ExponentiatedGradient",
    "FairBoosting",
    "FairLogLoss",
    "FairLogisticRegression",
    "Frontier",
    "FrontierPoint",
    "Gap",
    "GroupCoder",
    "GroupQuantiles",
    "GroupSampler",
    "GroupTable",
    "GroupThresholds",
    "GroupWarning",
    "MetricFrame",
    "MetricInterval",
    "MetricIntervals",
    "Reweigh",
    "ThresholdRule",
    "Verdict",
    "accuracy_equality_difference",
    "accuracy_equality_ratio",
    "alike_rows",
    "audit",
    "bias_sources",
    "count",
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "false_negative_rate",
    "false_positive_rate",
    "frontier",
    "make_derived_metric",
    "mean_prediction",
    "predictive_parity_difference",
    "predictive_parity_ratio",
    "selection_rate",
    "true_negative_rate",
    "true_positive_rate",
]  # fmt: skip

globals().update(DERIVED_GAPS)
globals().update(GROUP_EXTREMES)
__all__ += [*DERIVED_GAPS, *GROUP_EXTREMES]

__dir__ = listing(globals())

_OF_FAIRLEARN = {
    "ThresholdOptimizer": "GroupThresholds(model, criterion=…, randomised=True)",
    "GridSearch": "frontier({…}, task) over bounds or penalties",
    "DemographicParity": "constraints='demographic_parity', eps=…",
    "TruePositiveRateParity": "constraints='equal_opportunity', eps=…",
    "FalsePositiveRateParity": "constraints='false_positive_rate_parity', eps=…",
    "EqualizedOdds": "constraints='equalized_odds', eps=…",
    "CorrelationRemover": "FairLogisticRegression(), Reweigh(model) or GroupQuantiles(model)",
    "AdversarialFairnessClassifier": "FairBoosting(model) or FairLogisticRegression()",
    "AdversarialFairnessRegressor": "GroupQuantiles(model)",
    "plot_model_comparison": "frontier(models, task).plot()",
}


def __getattr__(name: str) -> Any:
    """What to type for a name of fairlearn that has another here."""
    hint = f": type {_OF_FAIRLEARN[name]}" if name in _OF_FAIRLEARN else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
