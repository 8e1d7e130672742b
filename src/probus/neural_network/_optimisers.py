"""Optimisers of PyTorch by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import load_torch

OPTIMISERS = ("adam", "adamw", "nadam", "radam", "rmsprop", "adagrad", "adadelta", "sgd", "gradient_descent")


def optimiser_of(module: Any, settings: TrainingSettings, groups: Iterable[dict[str, Any]] | None = None) -> Any:
    """The optimiser of a module's weights.

    ``groups`` are dicts of "params" and what differs for them: "weight_decay", or "rate", a factor of the learning
    rate. Without them, matrices have the weight decay of the settings, and biases and scales have none.
    """
    optim = load_torch().optim
    rate, momentum = settings.learning_rate, settings.momentum
    betas, epsilon = (settings.beta_1, settings.beta_2), settings.epsilon
    groups = _usual_groups(module, settings.weight_decay) if groups is None else [dict(group) for group in groups]
    adam: dict[str, Any] = {"lr": rate, "betas": betas, "eps": epsilon}
    if settings.optimiser == "adam":
        return optim.Adam(groups, **adam, fused=True)
    if settings.optimiser == "adamw":
        return optim.AdamW(groups, **adam, weight_decay=settings.weight_decay, fused=True)
    if settings.optimiser == "nadam":
        return optim.NAdam(groups, **adam)
    if settings.optimiser == "radam":
        return optim.RAdam(groups, **adam)
    if settings.optimiser == "rmsprop":
        return optim.RMSprop(groups, lr=rate, alpha=settings.beta_1, eps=epsilon)
    if settings.optimiser == "adagrad":
        return optim.Adagrad(groups, lr=rate)
    if settings.optimiser == "adadelta":
        return optim.Adadelta(groups, lr=rate)
    if settings.optimiser == "gradient_descent":
        return optim.SGD(groups, lr=rate, fused=True)
    return optim.SGD(groups, lr=rate, momentum=momentum, nesterov=settings.nesterov and momentum > 0.0, fused=True)


def _usual_groups(module: Any, weight_decay: float) -> list[dict[str, Any]]:
    own = [weight for weight in module.parameters() if weight.requires_grad]
    matrices = [weight for weight in own if weight.ndim > 1]
    others = [weight for weight in own if weight.ndim < 2]
    kinds = ({"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0})
    return [group for group in kinds if group["params"]]
