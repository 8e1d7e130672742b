"""What the model uses: importance, Shapley values, the oddest rows in steps, words, and a tree to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from markupsafe import Markup

from probus.data import Task
from probus.display import shortened
from probus.ensemble import ShapValues
from probus.report._explanations import StudyExplanations
from probus.report._inline_svg import inline_svg, picture
from probus.report._section import Section
from probus.report._study_report import StudyReport

_CLASSES_EXPLAINED = 3
_TEMPLATE = """\
<h2 id="explanation">What the model uses</h2>
{% if importance or shapley %}
<p class="lede">{% if importance %}First, how much worse the score gets when a column is shuffled among test rows, with 95 % intervals; where two columns carry the same information, neither may seem to matter. {% endif %}{% if shapley %}{{ "Then, what" if importance else "What" }} a column adds to the prediction of a row ({{ report.explanations.notes.shapley }}), Shapley values by sampling.{% endif %}</p>
<div class="wide-pictures">{% if importance %}<figure>{{ importance }}</figure>{% endif %}{% for each in shapley %}<figure>{{ each }}</figure>{% endfor %}</div>
{% endif %}
{% if skipped %}<ul class="notes">{% for line in skipped %}<li>{{ line | sentence }}</li>{% endfor %}</ul>{% endif %}
{% if waterfalls %}
<h3 class="above">The oddest rows, step by step</h3>
<p class="lede">From the mean prediction to that of the rows with the largest errors, by the final model, which has been trained on them too.</p>
<div class="wide-pictures">{% for each in waterfalls %}<figure>{{ each }}</figure>{% endfor %}</div>
{% endif %}
{% for each in report.explanations.words %}
<h3 class="above">Words of {{ each.column }}</h3>
<p class="lede">{{ each.column }} is used by its words. The mean change of the {{ each.quantity }} by a word or phrase: the prediction of {{ each.rows }} rows as they are, less that without it.</p>
{{ parts.grid(each.lines()) }}
{% endfor %}
{% if tree %}
<h3 class="above">A tree to read</h3>
<p class="lede">{{ tree_score }}</p>
<div class="scroll sheet">{{ tree }}</div>
{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    found = report.explanations
    skipped = {name: why for name, why in found.skipped.items() if name != "learning curve"}
    importance = tree = None
    if found.importance:
        height = 90 + 20 * min(len(found.importance.names), 15)
        importance = picture(found.importance.plot, "Loss of score by column", width=430, height=height)
    if found.tree:
        tree = inline_svg(*found.tree.drawn(), f"A small tree: {found.tree.text}", fixed=True, plain=True)
    return {
        "importance": importance,
        "shapley": [] if found.shap is None else list(_shapley_pictures(found.shap, report.study.task)),
        "waterfalls": [
            picture(
                each.plot,
                f"Row {each.row}: what each column adds to the prediction",
                width=400,
                height=90 + 22 * len(each.names),
            )
            for each in found.waterfalls
        ],
        "tree": tree,
        "tree_score": _tree_score(report),
        "skipped": [f"{name} not computed: {why}" for name, why in skipped.items()],
    }


def _data(report: StudyReport) -> dict[str, Any]:
    found = report.explanations
    return {
        "importance": found.importance,
        "shapley": _shapley(found),
        "waterfalls": found.waterfalls,
        "words": found.words,
        "tree": found.tree,
        "skipped": found.skipped,
    }


def _tree_score(report: StudyReport) -> str:
    """The score of the small tree, and whether it is worth anything."""
    tree, study = report.explanations.tree, report.study
    if tree is None:
        return ""
    text = f"At most three splits in a row: {tree.measure.label} {tree.score} on rows it was not trained on."
    zero_r = study.leaderboard[study.baseline].scores[study.main.name]
    if study.main.better(tree.score.value) > study.main.better(zero_r.value):
        return text
    return f"{text} That is not better than {study.baseline}: it describes these rows, and is no model to predict with."


def _shapley_pictures(shap: ShapValues, task: Task) -> Iterator[Markup]:
    """A beeswarm for one output, or for each of the most frequent classes."""
    height = 90 + 26 * min(len(shap.feature_names), 12)
    shap = replace(shap, feature_names=tuple(shortened(name, 24) for name in shap.feature_names))
    rows = Counter(map(str, task.y.tolist()))
    frequent = sorted(shap.outputs, key=lambda label: -rows[str(label)])
    for output in frequent[:_CLASSES_EXPLAINED] or (None,):
        one = shap if output is None else shap[output]
        label = "Shapley values of the columns" + ("" if output is None else f" for {output}")
        title = "" if output is None else f"Probability of {shortened(str(output), 18)}"
        yield picture(partial(_beeswarm, one, title), label, width=460, height=height)


def _beeswarm(shap: ShapValues, title: str, ax: Any) -> Any:
    ax = shap.plot(ax, kind="beeswarm")
    if title:
        ax.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return ax


def _shapley(found: StudyExplanations) -> dict[str, Any] | None:
    """The mean size of what each column adds; the rows themselves are many numbers."""
    if found.shap is None:
        return None
    return {
        "rows": len(found.shap.values),
        "outputs": [str(output) for output in found.shap.outputs],
        "base": found.shap.base,
        "standard_error": found.shap_error,
        "columns": [{"column": name, "mean_size": size} for name, size in found.shap.ranked],
    }


SECTION = Section("explanation", "Explanation", _TEMPLATE, _values, _data)
