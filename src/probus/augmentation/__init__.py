"""More training rows, or fewer: samplers for rare classes, noise, mixed rows and artificial anomalies.

``sampler >> model`` is a ``SampledClassifier`` or ``SampledRegressor``: only its training rows are sampled, in
cross-validation, tuning and studies too, and its probabilities are corrected for the shares of the classes.
"""

from probus.augmentation._artificial import ArtificialAnomalies, artificial_rows
from probus.augmentation._noise import Mixup, Noise
from probus.augmentation._random_sampling import RandomOverSampler, RandomUnderSampler
from probus.augmentation._sampled_models import SampledClassifier, SampledRegressor, corrected, sampled
from probus.augmentation._sampler import Sampler, concatenate
from probus.augmentation._smote import ADASYN, SMOTE
from probus.borrowing import listing

__all__ = [
    "ADASYN",
    "SMOTE",
    "ArtificialAnomalies",
    "Mixup",
    "Noise",
    "RandomOverSampler",
    "RandomUnderSampler",
    "SampledClassifier",
    "SampledRegressor",
    "corrected",
    "sampled",
]

__dir__ = listing(globals())
