"""Measures of how good a prediction is, and the numbers they give, each with its uncertainty.

An ``Outcome`` holds true values and predictions; a ``Measure`` turns it into a number; an ``Estimate`` is that number
with its interval and how the interval was found. Measures are known by name: ``measures()`` lists them with range,
orientation and needs. They are also functions: ours for what scikit-learn does not have, and scikit-learn's under their
own names.
"""

from __future__ import annotations

from probus.borrowing import borrow
from probus.metrics import _registry as _registry
from probus.metrics import cluster, pairwise
from probus.metrics._cluster_sums import (
    between_cluster_sum_of_squares,
    pair_f1_score,
    pair_precision_score,
    pair_recall_score,
    within_cluster_sum_of_squares,
)
from probus.metrics._confusion import balanced_accuracy, counts_of, error_rate, specificity_score
from probus.metrics._estimates import Estimate
from probus.metrics._functions import is_scorer
from probus.metrics._labels import codes_of
from probus.metrics._measure import MEASURES, Measure, Scoring, measure, measures, measures_for, ranking_measures
from probus.metrics._outcome import Outcome
from probus.metrics._probabilities import expected_calibration_error
from probus.metrics._ranking import background_rejection, signal_efficiency, signal_efficiency_at_rejection
from probus.metrics._regression import (
    mean_signed_error,
    relative_absolute_error,
    relative_squared_error,
    sum_squared_error,
)
from probus.metrics.bootstrap import SampleSize, estimate, test_size_for
from probus.metrics.curves import (
    CalibrationCurve,
    ConfusionMatrix,
    EfficiencyCurve,
    PrecisionRecallCurve,
    RocCurve,
    ThresholdChoice,
    calibration,
    choose_threshold,
    confusion_table,
    efficiency_rejection,
    plot_curves,
    precision_recall,
    roc,
)

__all__ = [
    "MEASURES",
    "CalibrationCurve",
    "ConfusionMatrix",
    "EfficiencyCurve",
    "Estimate",
    "Measure",
    "Outcome",
    "PrecisionRecallCurve",
    "RocCurve",
    "SampleSize",
    "Scoring",
    "ThresholdChoice",
    "background_rejection",
    "between_cluster_sum_of_squares",
    "calibration",
    "choose_threshold",
    "cluster",
    "confusion_table",
    "efficiency_rejection",
    "error_rate",
    "estimate",
    "expected_calibration_error",
    "mean_signed_error",
    "measure",
    "measures",
    "measures_for",
    "pair_f1_score",
    "pair_precision_score",
    "pair_recall_score",
    "pairwise",
    "plot_curves",
    "precision_recall",
    "ranking_measures",
    "relative_absolute_error",
    "relative_squared_error",
    "roc",
    "signal_efficiency",
    "signal_efficiency_at_rejection",
    "specificity_score",
    "sum_squared_error",
    "test_size_for",
    "within_cluster_sum_of_squares",
]

__getattr__, __dir__ = borrow(globals(), {
    "probus.distances": ("pairwise_distances",),
    "probus.metrics._silhouette": ("silhouette_samples", "silhouette_score"),
    "sklearn.metrics": (
        "accuracy_score", "adjusted_mutual_info_score", "adjusted_rand_score", "auc", "average_precision_score",
        "balanced_accuracy_score", "brier_score_loss", "calinski_harabasz_score", "check_scoring",
        "class_likelihood_ratios", "classification_report", "cohen_kappa_score", "completeness_score",
        "confusion_matrix", "confusion_matrix_at_thresholds", "ConfusionMatrixDisplay", "consensus_score",
        "coverage_error", "d2_absolute_error_score", "d2_brier_score", "d2_log_loss_score", "d2_pinball_score",
        "d2_tweedie_score", "davies_bouldin_score", "dcg_score", "det_curve", "DetCurveDisplay", "DistanceMetric",
        "euclidean_distances", "explained_variance_score", "f1_score", "fbeta_score", "fowlkes_mallows_score",
        "get_scorer", "get_scorer_names", "hamming_loss", "hinge_loss", "homogeneity_completeness_v_measure",
        "homogeneity_score", "jaccard_score", "label_ranking_average_precision_score", "label_ranking_loss",
        "log_loss", "make_scorer", "matthews_corrcoef", "max_error", "mean_absolute_error",
        "mean_absolute_percentage_error", "mean_gamma_deviance", "mean_pinball_loss", "mean_poisson_deviance",
        "mean_squared_error", "mean_squared_log_error", "mean_tweedie_deviance", "median_absolute_error",
        "metric_at_thresholds", "multilabel_confusion_matrix", "mutual_info_score", "nan_euclidean_distances",
        "ndcg_score", "normalized_mutual_info_score", "pair_confusion_matrix", "pairwise_distances_argmin",
        "pairwise_distances_argmin_min", "pairwise_distances_chunked", "pairwise_kernels", "precision_recall_curve",
        "precision_recall_fscore_support", "precision_score", "PrecisionRecallDisplay", "PredictionErrorDisplay",
        "r2_score", "rand_score", "recall_score", "roc_auc_score", "roc_curve", "RocCurveDisplay",
        "root_mean_squared_error", "root_mean_squared_log_error",
        "top_k_accuracy_score", "v_measure_score", "zero_one_loss",
    ),
})  # fmt: skip
