"""How predictions change with columns.

``responses`` is the number that a model predicts, of which ``curves`` has the values over a grid, row by row: of trees
by ``tree_predictions``, else by predictions. ``partial_curves`` averages them (partial dependence, with ICE), and
``scikit_learn`` does so with scikit-learn's name and result. ``accumulated`` adds up local changes (ALE), with
``level_order`` for levels. ``effect`` is the result of both. ``interaction_strength`` is Friedman's H, ``regional``
finds the groups of rows in which one curve holds, ``distillation`` fits a simpler model to the predictions.
"""

from probus.inspection.effects._accumulated import accumulated_local_effects
from probus.inspection.effects._distillation import Distilled, distil, surrogate_tree
from probus.inspection.effects._effect import Effect
from probus.inspection.effects._interaction_strength import InteractionStrengths, interaction_strength
from probus.inspection.effects._partial_curves import partial_effect
from probus.inspection.effects._regional import RegionalEffects, regional_effects
from probus.inspection.effects._scikit_learn import partial_dependence
