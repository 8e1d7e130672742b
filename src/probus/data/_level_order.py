"""Levels whose names imply an order: intervals, verbal scales, education; months and weekdays are cyclic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from probus.data._interval_levels import in_numeric_order, interval_of


@dataclass(frozen=True)
class LevelOrder:
    """Levels in order, what implied the order, and whether it is cyclic."""

    levels: tuple[str, ...]
    source: str
    cyclic: bool = False


def order_of(levels: Sequence[str]) -> LevelOrder | None:
    """The order that the names of the levels imply, or None. Columns often have the same levels.

    Every level must belong to it: all are intervals that do not overlap, or all are words of one scale, each step once.

    >>> order_of(["high", "low", "medium"]).levels, order_of(["1st", "2nd", "Crew"])
    (('low', 'medium', 'high'), None)
    >>> order_of(["Tue", "Mon"])
    LevelOrder(levels=('Mon', 'Tue'), source='days of the week', cyclic=True)
    """
    return _order_of(tuple(levels))


@lru_cache(maxsize=256)
def _order_of(levels: tuple[str, ...]) -> LevelOrder | None:
    intervals = in_numeric_order(levels)
    if intervals is not None:
        return LevelOrder(intervals, "intervals or counts")
    cleaned = [_clean(level) for level in levels]
    for words in (cleaned, _without_common_words(cleaned)):
        for name, ranks in _CYCLES.items():
            if order := _sort_by(levels, [ranks.get(word) for word in words]):
                return LevelOrder(order, name, cyclic=True)
        for ranks in _SCALES:
            if order := _sort_by(levels, [ranks.get(word) for word in words]):
                return LevelOrder(order, "a verbal scale")
    if order := _sort_by(levels, _education(levels)):
        return LevelOrder(order, "schooling")
    return None


def _sort_by(levels: Sequence[str], ranks: Sequence[float | None]) -> tuple[str, ...] | None:
    """The levels by rank, or None unless all have distinct ranks."""
    known = [rank for rank in ranks if rank is not None]
    if len(set(known)) < len(levels) or not known:
        return None
    return tuple(level for _, level in sorted(zip(known, levels, strict=True)))


def _clean(level: str) -> str:
    """Lower case, single spaces, without a leading number: ``"2 - Very_Low"`` becomes ``"very low"``."""
    words = re.sub(r"[\s_\-./]+", " ", level.lower()).strip()
    return re.sub(r"^\(?\d+\)?\s*[=:)]?\s+(?=[a-z])", "", words)


def _without_common_words(phrases: list[str]) -> list[str]:
    """The phrases without the first or last words they share: low income, high income → low, high."""
    split = [phrase.split() for phrase in phrases]
    for end in (-1, 0):
        while all(len(words) > 1 for words in split) and len({words[end] for words in split}) == 1:
            split = [words[:-1] if end else words[1:] for words in split]
    return [" ".join(words) for words in split]


# -- scales --------------------------------------------------------------------------------------------


def _ranks(scale: str) -> dict[str, float]:
    steps = enumerate(scale.split("<"))
    return {word.strip(): float(rank) for rank, step in steps for word in step.split("|")}


_SCALES = [
    _ranks(scale)
    for scale in (
        # amount and size
        "none|no < very very low < very low|vlow < low|lo < lower middle"
        " < medium|med|mid|middle|moderate|average|normal"
        " < upper middle < high|hi < very high|vhigh < very very high|extreme",
        "none|no|nothing|zero < few|a few|little|a little < some|several < many|a lot|much < most < all",
        "xxs < xs|extra small|x small|tiny < s|small < m|medium|med|mid|average < l|large|big"
        " < xl|extra large|x large|very large|huge < xxl|2xl < xxxl|3xl < 4xl",
        "very light < light < medium|moderate < heavy < very heavy",
        "very short < short < medium|average < tall|long < very tall|very long",
        "thin|narrow < medium|average|normal < thick|wide|broad",
        "very weak < weak < medium|moderate|average < strong < very strong",
        "very slow < slow < medium|moderate|average|normal < fast|quick < very fast",
        "very young|infant|baby < toddler < young|child|kid < teen|teenager|adolescent < young adult"
        " < adult|middle aged < senior|old|elderly < very old",
        "bottom < lower < middle < upper < top",
        "early < mid|middle < late",
        # quality and comparison
        "terrible|awful|very poor|very bad < poor|bad < below average"
        " < fair|average|acceptable|ok|okay|medium|neutral|satisfactory < above average < good < very good|vgood|great"
        " < excellent|outstanding|perfect",
        "fair < good < very good < premium < ideal",
        "unacc|unacceptable < acc|acceptable < good < vgood|very good",
        "po < fa < ta < gd < ex",
        "much worse < worse|somewhat worse < average|same|the same|about the same|no change|unchanged"
        " < better|somewhat better < much better",
        "much lower < lower < same|the same|about the same|unchanged < higher < much higher",
        "well below normal < below normal|below average < normal|average < above normal|above average"
        " < well above normal",
        "down|decreasing|decreased|falling < flat|stable|unchanged|no change|steady < up|increasing|increased|rising",
        "very negative < negative|neg < neutral|mixed < positive|pos < very positive",
        "bronze < silver < gold < platinum < diamond",
        # opinion and frequency
        "strongly disagree < disagree|mostly disagree < somewhat disagree|slightly disagree"
        " < neither agree nor disagree|neither|neutral|undecided|not sure"
        " < somewhat agree|slightly agree < agree|mostly agree < strongly agree",
        "very dissatisfied|very unsatisfied < dissatisfied|unsatisfied < somewhat dissatisfied"
        " < neither satisfied nor dissatisfied|neutral < somewhat satisfied < satisfied < very satisfied",
        "very unlikely < unlikely < neutral|possible|possibly < likely < very likely < certain",
        "not at all|not < slightly|a little|a little bit < somewhat|moderately|fairly < quite|quite a bit < very|a lot"
        " < extremely",
        "no|definitely not < probably not < maybe|perhaps|unsure|possibly < probably|likely < yes|definitely",
        "never|no < almost never|very rarely < rarely|seldom|hardly ever < occasionally|sometimes"
        " < often|frequently|regularly < usually|very often < almost always < always",
        # strength, danger, skill
        "none|no|absent|normal < trace|minimal|very mild < mild|minor|slight|light < moderate|medium"
        " < severe|serious|major|heavy < very severe|critical|extreme < fatal",
        "very easy < easy < medium|moderate|normal|average < hard|difficult < very hard|very difficult",
        "none < beginner|novice|basic|elementary < intermediate|medium < advanced|proficient < expert|fluent|native",
        "intern|trainee < junior|entry|entry level < mid|mid level|intermediate|medior < senior|senior level"
        " < lead|principal|executive",
        "freshman < sophomore < junior < senior",
        "freezing|very cold < cold < cool < mild|lukewarm|normal < warm < hot < very hot",
        "very dry < dry < normal|medium < moist|damp|humid < wet < very wet",
        "very dark < dark < medium < light|bright < very bright",
        "near|close < medium < far",
        "poor < middle class|middle < rich|wealthy",
    )
]

_CYCLES = {
    "months": _ranks(
        "jan|january < feb|february < mar|march < apr|april < may < jun|june < jul|july < aug|august"
        " < sep|sept|september < oct|october < nov|november < dec|december"
    ),
    "days of the week": _ranks(
        "mon|monday < tue|tues|tuesday < wed|weds|wednesday < thu|thur|thurs|thursday < fri|friday"
        " < sat|saturday < sun|sunday"
    ),
    "seasons": _ranks("winter < spring < summer < autumn|fall"),
    "times of the day": _ranks("morning < noon|midday < afternoon < evening < night"),
}

# -- education -----------------------------------------------------------------------------------------

_GRADE = r".*\d.*"
_SCHOOLING = (
    r"none|no (formal )?schooling|illiterate|never attended",
    r"pre ?school|nursery|kindergarten",
    _GRADE,
    r"primary( school)?|elementary( school)?",
    r"middle school|junior high( school)?|lower secondary",
    r"some (high school|hs)|(less than|below) (high school|hs)|12th grade no diploma",
    r"(graduated )?high sc\w+( grad\w*)?|hs( grad\w*)?|(upper )?secondary( school)?|ged",
    r"some (college|university)( but)?( no)?|\d to \d years of college|below college",
    r"vocational|trade school|assoc\w* (voc|occup)\w*( vocational)?",
    r"assoc\w*( aca?d\w*)?( program)?",
    r"college|university",
    r"(college|university) grad\w*|bachelors?|b[as]c?|undergrad\w*|tertiary",
    r"grad(uate)?( study| studies| school| work)?|masters?|m[as]c?|mba|post ?grad\w*",
    r"prof\w* school|professional",
    r"ph ?d|doct\w+",
)


def _education(levels: Sequence[str]) -> list[float | None]:
    """The rank of each level of education; None if the levels are only numbered grades or no level is known."""
    ranks = [_stage(level) for level in levels]
    named = {rank for rank in ranks if rank is not None and rank == int(rank)}
    return ranks if len(named) > 1 else []


def _stage(level: str) -> float | None:
    text = re.sub(r"\([^)]*\)|['’]|\bdegree\b", "", level.lower())
    text = re.sub(r"[\s_\-./]+", " ", text).strip()
    for rank, stage in enumerate(_SCHOOLING):
        if not re.fullmatch(stage, text):
            continue
        if stage != _GRADE:
            return float(rank)
        grade = interval_of(level)
        if grade is not None and grade.family in ("", "grade") and 0 < grade.high < 13:
            return rank + grade.high / 100
    return None
