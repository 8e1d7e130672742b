"""The parameters of the multi-layer perceptrons, and the attributes that they have when they are fitted."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import ArrayValue, IntegerIn, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model
from probus.neural_network._base import CHECKPOINT, DEVICE, PRECISION
from probus.neural_network._dense_weights import HIDDEN, INITIALISATIONS, OUTPUTS
from probus.neural_network._history import TrainingHistory
from probus.neural_network._optimisers import OPTIMISERS
from probus.neural_network._schedules import SCHEDULES
from probus.parameters import RANDOM_STATE, TOL, VERBOSE, WARM_START, attribute, parameter
from probus.state import Array, Either, Many, Maybe, Number, Object, Size, Spec, String


class PerceptronParameters(Model):
    """Parent of the perceptrons: scikit-learn's parameters, and ours after them."""

    hidden_layer_sizes: Any = parameter(
        "The number of units of each hidden layer.", default=(100,), of=[ArrayValue(), IntegerIn(at_least=1)],
        kw_only=False,
    )  # fmt: skip
    activation: str = parameter(
        "The function of the hidden units. A step is trained with the slope of the line between −1 and 1.",
        default="relu",
        one_of=tuple(HIDDEN),
        kw_only=False,
    )
    solver: str = parameter(
        '"adam", "sgd" with momentum, "adamw" with ``weight_decay``, "lbfgs", which uses all rows in each step and is '
        "for few of them, or another optimiser of PyTorch.",
        default="adam",
        one_of=("lbfgs", *OPTIMISERS),
    )
    alpha: float = parameter(
        "The weight of the penalty on squared weights, which is divided by the rows of a step.",
        default=0.0001,
        at_least=0,
    )
    batch_size: Any = parameter(
        'The rows of a step; "auto" is 200, or all if there are fewer.',
        default="auto",
        of=[OneOf("auto"), IntegerIn(at_least=1)],
    )
    learning_rate: str = parameter(
        'How the size of the steps changes: "constant"; "invscaling", divided by a power of the rows used so far, and '
        '"adaptive", divided by five when training stalls, both for "sgd" only; "cosine", down to zero; "one_cycle", '
        "up and then down.",
        default="constant",
        one_of=SCHEDULES,
    )
    learning_rate_init: float = parameter("The size of the steps.", default=0.001, above=0)
    power_t: float = parameter('The power of "invscaling".', default=0.5, at_least=0)
    max_iter: int = parameter("The maximum number of epochs, in which each row is used once.", default=200, at_least=1)
    shuffle: bool = parameter(
        "Whether rows are used in random order. The order then does not depend on that of X, and whole weights, of at "
        "most ten on average, count as repeated rows.",
        default=True,
    )
    random_state: Any = RANDOM_STATE
    tol: float = TOL.but(
        doc="The decrease of the loss, or increase of the validation score, that counts as an improvement."
    )
    verbose: int = VERBOSE.but(
        doc="1 shows a bar with loss and score in terminals, and lines elsewhere; 2 prints a line for every epoch.",
        default=False,
    )
    warm_start: bool = WARM_START
    momentum: float = parameter('The share of the last step that "sgd" adds.', default=0.9, at_least=0, at_most=1)
    nesterovs_momentum: bool = parameter("Whether gradients are taken at the point ahead.", default=True)
    early_stopping: bool = parameter(
        "Whether rows are held out, whose score decides when to stop and which weights are kept.", default=False
    )
    validation_fraction: float = parameter("The share of rows held out.", default=0.1, at_least=0, below=1)
    beta_1: float = parameter(
        "β₁ of Adam, the share that the mean of gradients keeps.", default=0.9, at_least=0, below=1
    )
    beta_2: float = parameter("β₂ of Adam, the same of their squares.", default=0.999, at_least=0, below=1)
    epsilon: float = parameter("ε of Adam, which is added before dividing.", default=1e-8, above=0)
    n_iter_no_change: Any = parameter(
        "Training stops after more epochs than this without an improvement.",
        default=10,
        of=[IntegerIn(at_least=1), RealIn(at_least=np.inf, at_most=np.inf)],
    )
    max_fun: int = parameter('The maximum number of losses that "lbfgs" computes.', default=15000, at_least=1)
    initialisation: str = parameter(
        "How weights are drawn: \"auto\" is scikit-learn's rule, uniform within Glorot's limits, biases too; with the "
        "others biases begin at zero.",
        default="auto",
        one_of=("auto", *INITIALISATIONS),
    )
    dropout: float = parameter(
        "The share of the hidden units that are set to zero in each step.", default=0.0, at_least=0, below=1
    )
    normalisation: str | None = parameter(
        'What is normalised before the activation of hidden units: "batch", each unit over the rows of a step, or '
        '"layer", the units of each row. None is nothing.',
        default=None,
        one_of=("batch", "layer"),
    )
    weight_decay: float = parameter(
        'How much weights shrink in each step, times its size; for "adamw" and the optimisers of PyTorch.',
        default=0.0,
        at_least=0,
    )
    warm_up: float = parameter(
        "The share of all steps in which their size rises from zero.", default=0.0, at_least=0, below=1
    )
    clip_gradient: float | None = parameter(
        "The largest norm of a gradient; longer ones are shortened. None keeps all.",
        default=None,
        of=[RealIn(above=0), NoneAllowed()],
    )
    device: str = DEVICE.but(
        doc='Where the network is trained: "cpu", or in PyTorch on "cuda" (or "cuda:1") or "mps"; "auto" is a GPU if '
        "there is one.",
        default="cpu",
    )
    precision: str = PRECISION
    checkpoint: Any = CHECKPOINT

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "coefs_": Many(Either(Array("f8", "* *"), Array("f4", "* *")), "L"),
        "intercepts_": Many(Either(Array("f8", "*"), Array("f4", "*")), "L"),
        "norms_": Many(Either(Array("f8", "* *"), Array("f4", "* *"))),
        "activation_": String(tuple(HIDDEN)),
        "out_activation_": String(OUTPUTS),
        "n_outputs_": Size("o"),
        "n_layers_": Number(),
        "n_iter_": Number(),
        "t_": Number(),
        "loss_": Number(),
        "loss_curve_": Maybe(Many(Number())),
        "best_loss_": Maybe(Number()),
        "validation_scores_": Maybe(Many(Number())),
        "best_validation_score_": Maybe(Number()),
        "history_": Maybe(Object(TrainingHistory)),
    }

    coefs_: list[np.ndarray] = attribute()
    intercepts_: list[np.ndarray] = attribute()
    norms_: list[np.ndarray] = attribute()
    loss_curve_: Any = attribute()
    best_loss_: Any = attribute()
    validation_scores_: Any = attribute()
    best_validation_score_: Any = attribute()
    t_: int = attribute()
