"""The findings: each code with its title and the checks that report it. One line adds one."""

from __future__ import annotations

from probus.data.findings import columns, labels, leaks, missing, numbers, rows, target
from probus.data.findings.facts import Check

__all__ = ["CHECKS", "CODES"]

_FINDINGS: tuple[tuple[str, str, tuple[Check, ...]], ...] = (
    ("PB101", "disguised-missing", (missing.disguised_numbers, missing.disguised_words)),
    ("PB102", "much-missing", (missing.much_missing,)),
    ("PB103", "all-missing", (missing.all_missing,)),
    ("PB104", "missing-depends-on-target", (missing.missing_depends_on_target,)),
    ("PB105", "suspicious-zeros", (missing.suspicious_zeros,)),
    ("PB201", "constant", (columns.constants,)),
    ("PB202", "nearly-constant", (columns.constants,)),
    ("PB203", "duplicate-column", (columns.duplicate_columns,)),
    ("PB204", "identifier", (columns.identifiers,)),
    ("PB205", "infinite", (numbers.infinite_values,)),
    ("PB206", "impossible-value", (numbers.impossible_values,)),
    ("PB207", "outlier", (numbers.outliers,)),
    ("PB208", "numbers-as-text", (labels.numbers_as_text,)),
    ("PB209", "inconsistent-spelling", (labels.inconsistent_spelling,)),
    ("PB210", "likely-typo", (labels.likely_typos,)),
    ("PB211", "many-levels", (labels.many_levels,)),
    ("PB212", "rare-levels", (labels.rare_levels,)),
    ("PB213", "ordered-levels", (labels.ordered_levels,)),
    ("PB214", "code-as-number", (columns.codes_as_numbers,)),
    ("PB301", "duplicate-rows", (rows.duplicate_rows,)),
    ("PB302", "duplicates-but-for-identifier", (rows.duplicate_rows,)),
    ("PB401", "missing-labels", (target.missing_labels,)),
    ("PB402", "one-class", (target.one_class,)),
    ("PB403", "imbalanced-target", (target.imbalance,)),
    ("PB404", "rare-class", (target.rare_classes,)),
    ("PB405", "few-target-values", (target.few_target_values,)),
    ("PB406", "contradictory-rows", (leaks.contradictions,)),
    ("PB407", "leak", (leaks.leaks,)),
)

CODES = {code: title for code, title, _ in _FINDINGS}
CHECKS: tuple[Check, ...] = tuple(dict.fromkeys(check for *_, checks in _FINDINGS for check in checks))
