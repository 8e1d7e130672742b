"""Tests between models, and leaderboards.

``compare`` compares models on the same splits, chooses the test and reports the conclusion in a sentence;
``Leaderboard`` ranks what ``resample`` returned. The tests are functions too: of scores of splits or data sets, of
predictions, of ranks.
"""

from probus.borrowing import listing
from probus.comparison._bayesian import Posterior, bayesian_correlated_ttest
from probus.comparison._bootstrap_rows import bootstrap_difference
from probus.comparison._compare_models import compare, comparison_of
from probus.comparison._comparison_result import Comparison
from probus.comparison._default_measures import measures_to_compare
from probus.comparison._difference_diagram import difference_diagram
from probus.comparison._fitted_models import compare_fitted, notes_on_training_rows, outcomes_of_fitted
from probus.comparison._five_by_two_cv import ftest_5x2cv, ttest_5x2cv
from probus.comparison._holm_correction import holm_pvalues
from probus.comparison._leaderboard import Leaderboard, Standing
from probus.comparison._paired_predictions import cochran_q, mcnemar
from probus.comparison._paired_scores import corrected_resampled_ttest, resampled_ttest, wilcoxon
from probus.comparison._pairs import Pair, Pairs
from probus.comparison._post_hoc import PostHoc, holm, nemenyi
from probus.comparison._rank_board import RankBoard, RankStanding
from probus.comparison._ranks import critical_difference, friedman
from probus.comparison._significance import TestResult
from probus.comparison._voting_theory import (
    ensemble_variance,
    majority_vote_error,
    plot_ensemble_variance,
    plot_majority_vote,
)

__all__ = [
    "Comparison",
    "Leaderboard",
    "Pair",
    "Pairs",
    "PostHoc",
    "Posterior",
    "RankBoard",
    "RankStanding",
    "Standing",
    "TestResult",
    "bayesian_correlated_ttest",
    "bootstrap_difference",
    "cochran_q",
    "compare",
    "compare_fitted",
    "corrected_resampled_ttest",
    "critical_difference",
    "difference_diagram",
    "ensemble_variance",
    "friedman",
    "ftest_5x2cv",
    "holm",
    "holm_pvalues",
    "majority_vote_error",
    "mcnemar",
    "nemenyi",
    "plot_ensemble_variance",
    "plot_majority_vote",
    "resampled_ttest",
    "ttest_5x2cv",
    "wilcoxon",
]

__dir__ = listing(globals())
