"""What may improve a model, by what keeps it from being better."""

from __future__ import annotations

FINE, BIAS, VARIANCE, BOTH = "fine", "high bias", "high variance", "high bias and high variance"

MORE_ROWS = "Add training rows."
_FLEXIBLE = "Use a more flexible model: a non-linear one, deeper trees, fewer neighbours, or boosting."
_LESS_REGULARISED = "Regularise less."
_SIMPLER = "Use a simpler model: shallower trees, more neighbours, or stronger regularisation."
_AVERAGED = "Average many models: bagging, a random forest."
_OTHER_KIND = "Use a model of another kind: one that fits the training rows better and varies less, such as boosting."
_MORE_FLEXIBLE = "Compare with a more flexible model before settling."

REMEDIES = {
    BIAS: (
        "More training rows by themselves will not help.",
        _FLEXIBLE,
        _LESS_REGULARISED,
        "Add features, or build new ones from those there are.",
    ),
    VARIANCE: (MORE_ROWS, _SIMPLER, "Use fewer features.", _AVERAGED),
    BOTH: (  # those of one would increase the other
        MORE_ROWS,
        _OTHER_KIND,
        "Replace features that contribute little by others that contribute more.",
    ),
    FINE: (
        "What is left may be noise, which no model removes: better measurements or new features would.",
        _MORE_FLEXIBLE,
    ),
}

NO_SIGNAL = "The columns may not predict the target: add others, or measure these better."
WITHOUT_SIGNAL = (
    f"{NO_SIGNAL[:-1]}, before tuning the model.",
    "Compare with models of another kind, which may use what this one cannot.",
)
WITHOUT_LOSS = ("Nothing is left to improve on these rows. Check that no column contains the answer: probus.examine.",)

BY_COMPARING = frozenset({_FLEXIBLE, _OTHER_KIND, _MORE_FLEXIBLE, _AVERAGED})
"""What a comparison with forests or boosting has tried."""
BY_TUNING = frozenset({_LESS_REGULARISED, _SIMPLER})
"""What tuning has tried."""
