"""Neural networks.

PyTorch (the extra ``neural``) gives tensors, gradients and layers; it is imported when a network needs it. The
training loop (``_training``, with ``_settings``, ``_schedules``, ``_optimisers``, ``_checkpoint``, ``_display``) and
its ``TrainingHistory`` are ours. ``_base`` is the parent of the models.
"""

from probus.borrowing import borrow
from probus.neural_network._history import TrainingHistory

__all__ = ["TrainingHistory"]

__getattr__, __dir__ = borrow(globals(), {"sklearn.neural_network": ("BernoulliRBM",)})
