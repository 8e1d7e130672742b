"""Which folds fit a table: groups kept whole, later rows tested, or both; and whether that is near certain."""

from __future__ import annotations

from dataclasses import dataclass

from probus.data._name_words import words_of
from probus.data._table import Table
from probus.data.findings._facts import facts
from probus.data.findings._group_leaks import SharingGroups, are_within, shared
from probus.data.findings._leak_shares import LEAK
from probus.data.findings._order_drift import Drift, drifts
from probus.data.findings._unnamed_groups import unnamed_groups

CERTAIN = 0.001  # the probability of such groups or such a drift by chance, at most
SHARED = 0.1  # the intraclass correlation of a target in groups of living things
DRIFTING = 0.2  # the same along an order
AS_MUCH = 0.95  # of the correlation within smaller groups: larger ones around them share the target too
MANY_GROUPS = 10  # of fewer, there are hardly folds of new ones

_LIVING = words_of(
    "animal child couple donor family household individual lesion litter mouse pair participant patient person proband "
    "pupil rat respondent sibling speaker specimen student subject tumor tumour twin"
)
"""Of these a model is for new ones; of shops, machines and customers, it may be for the same ones."""


@dataclass(frozen=True)
class SplitProposal:
    """Folds that fit the rows better than random ones.

    group : the columns of groups that are kept whole.
    time : the column whose later rows are tested, ROW_ORDER for the order of the file; None for none.
    certain : whether random folds are almost certainly wrong.
    """

    group: tuple[str, ...]
    time: str | None
    certain: bool


def proposed_split(table: Table, target: str | None) -> SplitProposal | None:
    """The folds that fit a table, by its groups and by the drift of its target; None where random ones do.

    What is near certain comes first: groups and time where both are, else either, else what is only suspected.
    """
    groups = [each for each in shared(table, target) if each.belong]
    ordered = drifts(table, target)
    certain = [each for each in groups if _are_certain(each)], [each for each in ordered if _is_certain(each)]
    near_certain = bool(certain[0] or certain[1])
    chosen = certain if near_certain else (groups, [] if groups else ordered)
    if not groups and not near_certain and (unnamed := unnamed_groups(table, target)) is not None:
        return SplitProposal(unnamed.names, None, certain=False)
    if not chosen[0] and not chosen[1]:
        return None
    group = _to_keep_whole(chosen[0])
    return SplitProposal(
        () if group is None else (group.column.name,), chosen[1][0].name if chosen[1] else None, near_certain
    )


def _to_keep_whole(groups: list[SharingGroups]) -> SharingGroups | None:
    """The groups that share the target most; larger ones around them where these share it as much."""
    found = max(groups, key=lambda each: each.sharing.correlation, default=None)
    for each in groups:
        if found is not None and each.sharing.correlation >= AS_MUCH * found.sharing.correlation:
            larger = facts(each.column).n_distinct < facts(found.column).n_distinct
            found = each if larger and are_within(found.column, each.column) else found
    return found


def _are_certain(found: SharingGroups) -> bool:
    if not found.certain or facts(found.column).n_distinct < MANY_GROUPS or found.sharing.p > CERTAIN:
        return False
    words = words_of(found.column.name)
    living = bool((words | {word.removesuffix("s") for word in words}) & _LIVING)
    return found.sharing.correlation >= (SHARED if living else LEAK)


def _is_certain(found: Drift) -> bool:
    return found.dated and found.in_file and found.p <= CERTAIN and found.correlation >= DRIFTING
