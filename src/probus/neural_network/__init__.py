"""Neural networks.

PyTorch (the extra ``neural``) gives tensors, gradients and layers; it is imported when a network needs it. The loop
over epochs (``_epochs``, with ``_settings``, ``_schedules``, ``_checkpoint``, ``_display``) and its
``TrainingHistory`` are ours. ``_training`` takes its steps in PyTorch (``_optimisers``, ``_torch``), ``_dense_steps``
in NumPy (``_dense_weights``). ``_base`` is the parent of the models that need PyTorch.

The multi-layer perceptrons (``_mlp``, ``_mlp_parameters``, ``_mlp_rows``) are trained in NumPy, or in PyTorch
(``_dense_module``). ``_perceptron_step`` shows a step of one as that of a ``Network``. ``_targets`` has what networks
share that predict classes or numbers.

``network`` is a small one in NumPy that shows each step (``dense``, ``network_step``, ``_network_loss``,
``_network_drawing``, ``_unit_names``). ``_activations`` has the activation functions.

``autoencoder`` makes components by a network.

``_predictor`` is the parent of networks for images and texts, in PyTorch: what they are trained on, and how they
predict without it. ``_row_sets`` finds rows that are held out together. ``_convolution`` is for images and series
(``_images``, ``_residual_shape``). ``_augmentation`` changes rows of a training.

The networks for typed tables (``_tabular_net``) encode columns (``_tabular_encoding``), train in PyTorch
(``_tabular_module``) and predict in NumPy (``_tabular_weights``).

``_sequence_network`` is the parent of networks for texts and series: ``_recurrent`` and ``_transformer``, with
``_recurrent_outputs`` and ``_transformer_outputs`` in NumPy. ``_masked_language_model`` learns from texts without
labels. Texts become ``_word_pieces``, and both become arrays in ``_sequences``.
"""

from probus.borrowing import borrow
from probus.neural_network._attention import Attention
from probus.neural_network._augmentation import (
    Brightness,
    DropWords,
    Flips,
    Noise,
    Rotations,
    Shifts,
    Speeds,
    SwapWords,
    Synonyms,
    Volumes,
    Zooms,
)
from probus.neural_network._autoencoder import Autoencoder
from probus.neural_network._base import DEVICE
from probus.neural_network._convolution import ConvClassifier, ConvRegressor
from probus.neural_network._dense import Dense
from probus.neural_network._history import TrainingHistory
from probus.neural_network._images import read_images
from probus.neural_network._masked_language_model import MaskedLanguageModel
from probus.neural_network._mlp_classifier import MLPClassifier
from probus.neural_network._mlp_regressor import MLPRegressor
from probus.neural_network._mlp_rows import TrainingRows, counted, own_order
from probus.neural_network._network import Network
from probus.neural_network._network_step import NetworkStep
from probus.neural_network._recurrent import RecurrentClassifier
from probus.neural_network._tabular_classifier import TabularNetClassifier
from probus.neural_network._tabular_encoding import TabularEncoding
from probus.neural_network._tabular_regressor import TabularNetRegressor
from probus.neural_network._torch import gpu_named, load_torch, pytorch_is_installed, without_tf32
from probus.neural_network._transformer import TransformerClassifier
from probus.neural_network._word_pieces import WordPieces

__all__ = [
    "Attention", "Autoencoder", "Brightness", "ConvClassifier", "ConvRegressor", "Dense", "DropWords", "Flips",
    "MLPClassifier", "MLPRegressor", "MaskedLanguageModel", "Network", "NetworkStep", "Noise",
    "RecurrentClassifier", "Rotations", "Shifts", "Speeds", "SwapWords", "Synonyms", "TabularEncoding",
    "TabularNetClassifier", "TabularNetRegressor", "TrainingHistory", "TransformerClassifier", "Volumes",
    "WordPieces", "Zooms", "read_images",
]  # fmt: skip

ImageClassifier, TextClassifier = ConvClassifier, RecurrentClassifier  # the same classes by what they are for

__getattr__, __dir__ = borrow(globals(), {"sklearn.neural_network": ("BernoulliRBM",)})
