"""Neural networks.

PyTorch (the extra ``neural``) gives tensors, gradients and layers; it is imported when a network needs it. The
training loop (``_training``, with ``_settings``, ``_schedules``, ``_optimisers``, ``_checkpoint``, ``_display``) and
its ``TrainingHistory`` are ours. ``_base`` is the parent of the models.

``network`` is a small one in NumPy that shows each step (``dense``, ``network_step``, ``_network_loss``,
``_network_drawing``, ``_unit_names``). ``_activations`` has the activation functions.

``autoencoder`` makes components by a network.
"""

from probus.borrowing import borrow
from probus.neural_network._history import TrainingHistory
from probus.neural_network.autoencoder import Autoencoder
from probus.neural_network.dense import Dense
from probus.neural_network.network import Network
from probus.neural_network.network_step import NetworkStep

__all__ = ["Autoencoder", "Dense", "Network", "NetworkStep", "TrainingHistory"]

__getattr__, __dir__ = borrow(globals(), {"sklearn.neural_network": ("BernoulliRBM",)})
