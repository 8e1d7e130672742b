"""The outcomes of several splits as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probus.metrics import Outcome


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """All outcomes as one; a part that some of them lack is left out."""

    def together(part: str) -> Any:
        parts = [getattr(outcome, part) for outcome in outcomes]
        return None if any(each is None for each in parts) else np.concatenate(parts)

    names = ("actual", "predicted", "probabilities", "scores", "weights", "decisions")
    return replace(outcomes[0], **{name: together(name) for name in names})
