"""Fitting in the order of the work: codes, curves in bags, pairs, purification, and errors of the curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from probus.ensemble.boosting._rows import DesignRows
from probus.ensemble.glass_box._additive_terms import AdditiveTerms
from probus.ensemble.glass_box._bag_rounds import Bag, CodedRows, Rounds, fold_masks, run_bags
from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.ensemble.glass_box._curve_bands import bins_for_errors, curve_errors
from probus.ensemble.glass_box._curve_kernel import CurvePlan, sum_by_code, sum_terms
from probus.ensemble.glass_box._pair_choice import candidates_of, chosen_pairs, coarse_bins, strengths_of
from probus.ensemble.glass_box._pair_kernel import PairPlan, pair_sums, sum_pairs
from probus.ensemble.glass_box._purified_terms import centre, purified_table
from probus.losses import Loss

_ROWS_A_CELL, _FEWEST_BINS = 8.0, 4


@dataclass(frozen=True)
class GlassPlan:
    """The parameters, resolved. ``pairs`` are given ones; else at most ``n_pairs`` are chosen, None for those beyond
    noise."""

    curves: Rounds
    tables: Rounds
    n_bags: int
    max_bins: int
    pair_bins: int
    monotone: np.ndarray
    left_out: frozenset[int]
    pairs: np.ndarray | None
    n_pairs: int | None
    excluded: frozenset[tuple[int, int]]
    seed: int


class Fitted(NamedTuple):
    """The terms, the intercept float64[k], and how many rounds curves and pairs took."""

    terms: AdditiveTerms
    intercept: np.ndarray
    rounds: tuple[int, int]


def fit_terms(rows: DesignRows, loss: Loss, plan: GlassPlan, n_jobs: int | None) -> Fitted:
    """The terms of a model for these rows."""
    columns = ColumnCodes.of(
        rows.design if rows.at is None else replace(rows.design, X=rows.X), plan.max_bins, n_jobs, plan.seed
    )
    codes = columns.of_rows(rows.X, n_jobs)
    start = loss.constant(rows.y, rows.weight)
    coded = CodedRows(codes, rows.y, rows.weight, np.ascontiguousarray(rows.raw_predictions(start, None)))
    held = _left_out_of_bags(rows.y, plan, loss)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    rows_of = np.empty((int(columns.starts[-1]), 1))
    sum_by_code(codes, len(rows), np.ascontiguousarray(weight[:, None]), columns.starts, rows_of)
    rows_of, centres = rows_of[:, 0].copy(), columns.centres_of(rows.X, codes)

    how = CurvePlan(columns.starts, columns.nominal, plan.monotone)
    orders, bags = _bags(coded, held, loss, how, plan.curves, plan, 0)
    for bag in bags:
        bag.columns = np.array([j for j in range(len(codes)) if j not in plan.left_out], np.int64)
    n_rounds = run_bags(bags, plan.curves, n_jobs)
    each = [bag.kept[n_rounds] for bag in bags]
    curves = np.mean(each, axis=0)
    raw = _raw_left_out(coded, orders, bags, each)

    terms = _without_pairs(columns, curves, rows_of, centres)
    n_pair_rounds = 0
    pairs = _pairs(columns, coded, raw, loss, plan, rows_of, curves, n_jobs)
    if len(pairs):
        coarse, sizes = coarse_bins(columns, rows_of, curves, _pair_bins(float(weight.sum()), plan.pair_bins))
        terms = replace(terms, pairs=pairs, coarse=coarse, sizes=sizes)
        small = replace(coded, codes=terms.coarse_codes(codes))
        bags = _pair_bags(small, orders, bags, each, codes, loss, terms.plan, plan)
        n_pair_rounds = run_bags(bags, plan.tables, n_jobs)
        each = [bag.kept[n_pair_rounds] for bag in bags]
        tables = np.mean(each, axis=0)
        cells = np.empty((len(tables), 1))
        pair_sums(small.codes, len(rows), np.ascontiguousarray(weight[:, None]), terms.plan, cells)
        terms = replace(terms, tables=tables, pair_rows=cells[:, 0].copy())
    if not n_pair_rounds:
        terms = _without_pairs(columns, curves, rows_of, centres)
    terms, taken = _purified(terms)
    intercept = start + taken
    terms = replace(terms, errors=_errors(terms, coded, intercept - start, loss))
    return Fitted(terms, intercept, (n_rounds, n_pair_rounds))


def _errors(terms: AdditiveTerms, coded: CodedRows, shift: np.ndarray, loss: Loss) -> np.ndarray:
    """The standard errors of all curves, an output at a time: float64[T, k]."""
    columns, codes, n = terms.columns, coded.codes, len(coded.y)
    raw = coded.raw + shift
    terms.add_to(codes, raw)
    pairs = np.zeros_like(raw)
    if len(terms.pairs):
        sum_pairs(terms.coarse_codes(codes), terms.plan, terms.tables, pairs)
    gradient, hessian = _derivatives(loss, coded, raw)
    d = int((columns.n_codes > 1).sum())
    joined = coarse_bins(columns, terms.rows, terms.curves, bins_for_errors(d, n))
    dispersion = 1.0 if loss.for_classes else None
    errors = np.empty_like(terms.curves)
    for q in range(raw.shape[1]):
        weight = np.maximum(hessian[:, q], 1e-10 * hessian[:, q].max())
        main = raw[:, q] - pairs[:, q] - coded.raw[:, q] - shift[q]
        target = main - gradient[:, q] / weight
        errors[:, q] = curve_errors(columns, codes, terms.rows, terms.curves[:, q], weight, target, dispersion, joined)
    return errors


def _derivatives(loss: Loss, coded: CodedRows, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and hessian of each row, with its weight: float64[n, k]."""
    gradient, hessian = np.empty_like(raw), np.empty_like(raw)
    if raw.shape[1] == 1:
        loss.derivatives(coded.y, raw[:, 0].copy(), gradient.reshape(-1), hessian.reshape(-1))
    else:
        loss.derivatives(coded.y, raw, gradient, hessian)
    if coded.weight is not None:
        gradient, hessian = gradient * coded.weight[:, None], hessian * coded.weight[:, None]
    return gradient, hessian


def _pair_bins(n: float, most: int) -> int:
    """The bins of a column in pairs: about eight rows for each cell, were they spread evenly."""
    return int(np.clip(np.sqrt(n / _ROWS_A_CELL), _FEWEST_BINS, most)) if most > _FEWEST_BINS else most


def _left_out_of_bags(y: np.ndarray, plan: GlassPlan, loss: Loss) -> list[np.ndarray]:
    """For each bag the rows that it leaves out; none of a single bag that does not stop early, or of very few rows."""
    alone = plan.n_bags == 1 and not plan.curves.patience
    if alone or len(y) < 4:
        return [np.zeros(len(y), bool)]
    if plan.n_bags == 1:  # a sixth of the rows decides
        return fold_masks(y, 6, loss.for_classes, plan.seed)[:1]
    return fold_masks(y, plan.n_bags, loss.for_classes, plan.seed)


def _bags(
    coded: CodedRows, held: Sequence[np.ndarray], loss: Loss, how: CurvePlan | PairPlan, rounds: Rounds,
    plan: GlassPlan, stage: int,
) -> tuple[list[np.ndarray], list[Bag]]:  # fmt: skip
    """The bags, and the order of the rows in each: training rows first."""
    orders = [np.argsort(mask, kind="stable") for mask in held]
    bags = [
        Bag(coded.some(order), int((~mask).sum()), loss, how, rounds, np.random.default_rng([plan.seed, stage, b]))
        for b, (order, mask) in enumerate(zip(orders, held, strict=True))
    ]
    return orders, bags


def _raw_left_out(coded: CodedRows, orders: list[np.ndarray], bags: list[Bag], each: list[np.ndarray]) -> np.ndarray:
    """Raw predictions of each row by the bags that leave it out; of rows that are in all bags, by all bags."""
    n, k = coded.raw.shape
    held, count, every = np.zeros((n, k)), np.zeros(n), np.zeros((n, k))
    for order, bag, curves in zip(orders, bags, each, strict=True):
        raw = np.zeros((n, k))
        sum_terms(bag.rows.codes, bag.plan.starts, curves, raw)
        held[order[bag.m :]] += raw[bag.m :]
        count[order[bag.m :]] += 1
        every[order] += raw / len(bags)
    known = count > 0
    every[known] = held[known] / count[known, None]
    return coded.raw + every


def _pairs(
    columns: ColumnCodes, coded: CodedRows, raw: np.ndarray, loss: Loss, plan: GlassPlan, rows_of: np.ndarray,
    curves: np.ndarray, n_jobs: int | None,
) -> np.ndarray:  # fmt: skip
    """The pairs to fit: given ones, or the strongest."""
    if plan.pairs is not None:
        return plan.pairs
    without = set(plan.left_out) | set(np.flatnonzero(plan.monotone).tolist())
    without |= set(np.flatnonzero(columns.n_codes < 2).tolist())
    candidates = candidates_of(len(columns.n_codes), without, set(plan.excluded))
    if plan.n_pairs == 0 or not len(candidates) or not np.any(curves):
        return np.zeros((0, 2), np.int64)
    gradient, hessian = _derivatives(loss, coded, raw)
    weight = np.ones(len(raw)) if coded.weight is None else coded.weight
    found = strengths_of(
        columns, coded.codes, (gradient, hessian, weight), rows_of, curves, candidates, plan.seed, n_jobs
    )
    return chosen_pairs(candidates, found, raw.shape[1], plan.n_pairs)


def _pair_bags(
    small: CodedRows, orders: list[np.ndarray], bags: list[Bag], each: list[np.ndarray], codes: np.ndarray, loss: Loss,
    how: PairPlan, plan: GlassPlan,
) -> list[Bag]:  # fmt: skip
    """The bags once more: the same rows, from the curves on."""
    found = []
    for b, (order, bag, curves) in enumerate(zip(orders, bags, each, strict=True)):
        some = small.some(order)
        raw = bag.rows.raw.copy()
        sum_terms(bag.rows.codes, bag.plan.starts, curves, raw)
        random = np.random.default_rng([plan.seed, 1, b])
        found.append(Bag(replace(some, raw=raw), bag.m, loss, how, plan.tables, random))
    return found


def _without_pairs(columns: ColumnCodes, curves: np.ndarray, rows_of: np.ndarray, centres: np.ndarray) -> AdditiveTerms:
    T, k = curves.shape
    none = np.zeros((0, 2), np.int64)
    return AdditiveTerms(
        columns, curves, np.full((T, k), np.nan), rows_of, centres, np.zeros(T, np.uint8),
        np.ones(len(columns.n_codes), np.int64), none, np.zeros((0, k)), np.zeros(0),
    )  # fmt: skip


def _purified(terms: AdditiveTerms) -> tuple[AdditiveTerms, np.ndarray]:
    """The terms with mean zero, and what the intercept gains."""
    curves, tables = terms.curves.copy(), terms.tables.copy()
    for p, columns in enumerate(terms.pairs.tolist()):
        shape, cells = terms.shape(p), terms.cells(p)
        weight = terms.pair_rows[cells].reshape(shape)
        pure, rows, others = purified_table(tables[cells].reshape(*shape, -1), weight)
        tables[cells] = pure.reshape(-1, tables.shape[1])
        for j, gain in zip(columns, (rows, others), strict=True):
            curves[terms.part(j)] += gain[terms.coarse[terms.part(j)]]
    taken = centre(curves, terms.rows, terms.starts)
    return replace(terms, curves=curves, tables=tables), taken
