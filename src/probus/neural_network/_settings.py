"""How a network is trained: everything that the training loop needs to know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained.

    optimiser : a name of ``OPTIMISERS``
    learning_rate : the size of the steps
    schedule : a name of ``SCHEDULES``; power_t is the exponent of "invscaling"
    warm_up : the share of all steps in which the step size rises from zero
    momentum : of SGD, with the gradient at the point ahead where ``nesterov``
    beta_1, beta_2, epsilon : of Adam and its kin
    weight_decay : how much weights shrink; biases do not
    clip : the largest norm of a gradient; longer ones are shortened
    batch_size, max_epochs, shuffle : rows of a step; how often each row is used; in a new order each time
    patience, tol : training stops after more epochs in a row than that without an improvement by ``tol``
    precision : "float32", "bfloat16", or "auto": bfloat16 on a GPU that has it
    seed : of the order of the rows and of what layers draw
    verbose : whether epochs are displayed; 2 prints every one
    checkpoint : a file from which training goes on, and in which it is kept after each epoch
    model : the class of the model as "network", and its parameters that change the training, as plain data
    """

    optimiser: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "constant"
    power_t: float = 0.5
    warm_up: float = 0.0
    momentum: float = 0.9
    nesterov: bool = True
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    clip: float | None = None
    batch_size: int = 256
    max_epochs: int = 100
    shuffle: bool = True
    patience: float | None = None
    tol: float = 0.0
    precision: str = "auto"
    seed: int = 0
    verbose: int = 0
    checkpoint: str | os.PathLike[str] | None = None
    model: Mapping[str, Any] = field(default_factory=dict)

    def key(self) -> dict[str, Any]:
        """What must be the same for training to go on from a checkpoint.

        Only schedules that end with the last epoch depend on the number of epochs.
        """
        whole = self.schedule in ("cosine", "one_cycle") or self.warm_up > 0.0
        free = {"verbose", "checkpoint", "patience", "tol", "model", *(() if whole else ("max_epochs",))}
        own = {name: value for name, value in asdict(self).items() if name not in free}
        return own | {name: value for name, value in self.model.items() if name != "network"}
