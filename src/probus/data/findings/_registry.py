"""The findings: each code with its title and the checks that report it. One line adds one."""

from __future__ import annotations

from probus.data.findings import _column_checks as column_checks
from probus.data.findings import _group_leaks as group_leaks
from probus.data.findings import _label_checks as label_checks
from probus.data.findings import _leak_checks as leak_checks
from probus.data.findings import _missing_checks as missing_checks
from probus.data.findings import _number_checks as number_checks
from probus.data.findings import _order_drift as order_drift
from probus.data.findings import _pair_leaks as pair_leaks
from probus.data.findings import _part_leaks as part_leaks
from probus.data.findings import _row_checks as row_checks
from probus.data.findings import _target_checks as target_checks
from probus.data.findings import _unnamed_groups as unnamed_groups
from probus.data.findings._facts import Check

_FINDINGS: tuple[tuple[str, str, tuple[Check, ...]], ...] = (
    ("PB101", "disguised-missing", (missing_checks.disguised_numbers, missing_checks.disguised_words)),
    ("PB102", "much-missing", (missing_checks.much_missing,)),
    ("PB103", "all-missing", (missing_checks.all_missing,)),
    ("PB104", "missing-depends-on-target", (missing_checks.missing_depends_on_target,)),
    ("PB105", "suspicious-zeros", (missing_checks.suspicious_zeros,)),
    ("PB201", "constant", (column_checks.constants,)),
    ("PB202", "nearly-constant", (column_checks.constants,)),
    ("PB203", "duplicate-column", (column_checks.duplicate_columns,)),
    ("PB204", "identifier", (column_checks.identifiers,)),
    ("PB205", "infinite", (number_checks.infinite_values,)),
    ("PB206", "impossible-value", (number_checks.impossible_values,)),
    ("PB207", "outlier", (number_checks.outliers,)),
    ("PB208", "numbers-as-text", (label_checks.numbers_as_text,)),
    ("PB209", "inconsistent-spelling", (label_checks.inconsistent_spelling,)),
    ("PB210", "likely-typo", (label_checks.likely_typos,)),
    ("PB211", "many-levels", (label_checks.many_levels,)),
    ("PB212", "rare-levels", (label_checks.rare_levels,)),
    ("PB213", "ordered-levels", (label_checks.ordered_levels,)),
    ("PB214", "code-as-number", (column_checks.codes_as_numbers,)),
    ("PB215", "date-as-number", (number_checks.dates_as_numbers,)),
    ("PB301", "duplicate-rows", (row_checks.duplicate_rows,)),
    ("PB302", "duplicates-but-for-identifier", (row_checks.duplicate_rows,)),
    ("PB303", "near-duplicate-rows", (row_checks.near_duplicates,)),
    ("PB401", "missing-labels", (target_checks.missing_labels,)),
    ("PB402", "one-class", (target_checks.one_class,)),
    ("PB403", "imbalanced-target", (target_checks.imbalance,)),
    ("PB404", "rare-class", (target_checks.rare_classes,)),
    ("PB405", "few-target-values", (target_checks.few_target_values,)),
    ("PB406", "contradictory-rows", (leak_checks.contradictions,)),
    ("PB407", "leak", (leak_checks.leaks, part_leaks.part_leaks)),
    ("PB408", "pair-leak", (pair_leaks.pair_leaks,)),
    ("PB409", "group-leak", (group_leaks.group_leaks,)),
    ("PB410", "drift-along-order", (order_drift.order_drifts,)),
    ("PB411", "unnamed-groups", (unnamed_groups.unnamed_group_leaks,)),
)

CODES = {code: title for code, title, _ in _FINDINGS}
CHECKS: tuple[Check, ...] = tuple(dict.fromkeys(check for *_, checks in _FINDINGS for check in checks))
