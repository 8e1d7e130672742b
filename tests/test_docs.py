"""The pages keep their word: what they name exists, what exists is named, what they show runs."""

import importlib
import re
from pathlib import Path

import pytest
from benchmarks.__main__ import MODULES, as_line, contest_of, lines_of, merged, page
from benchmarks.measure import Row

import probus
from probus.testing import estimators

ROOT = Path(__file__).parent.parent
METHODS = (ROOT / "docs" / "methods.md").read_text()
README = (ROOT / "README.md").read_text()
GUIDE_PAGES = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("research/*.md"), *GUIDE_PAGES, *sorted(ROOT.glob("docs/evidence/*.md"))]
RESEARCH = (ROOT / "research" / "README.md").read_text()
GUIDES = [
    "anomaly.md",
    "association.md",
    "clusters.md",
    "coming-from.md",
    "components.md",
    "descent.md",
    "discriminant.md",
    "effects.md",
    pytest.param("ensembles.md", marks=pytest.mark.slow),
    "explaining.md",
    "fairness.md",
    "few-labels.md",
    "glass-box.md",
    "explore.md",
    "findings.md",
    "graphs.md",
    "importance.md",
    "index.md",
    "intervals.md",
    "kernels.md",
    "kinds.md",
    "model-files.md",
    "neural.md",
    "predictions.md",
    "preparation.md",
    "recoils.md",
    "recommend.md",
    "regression.md",
    "report.md",
    pytest.param("selection.md", marks=pytest.mark.slow),
    "study.md",
    "tuning.md",
]


@pytest.mark.parametrize("name", [cls.__name__ for cls in estimators()])
def test_every_estimator_is_in_the_method_index(name):
    assert f"`{name}" in METHODS


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[\w/]+\.py)`", METHODS))))
def test_every_test_in_the_method_index_exists(path):
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target, _, heading in re.findall(r"\]\(([^)#\s]*)(#([^)\s]*))?\)", page.read_text()):
        if "://" in target:
            continue
        found = page.parent / target if target else page
        assert found.exists(), target
        assert not heading or heading in anchors(found), f"{target}#{heading}"


def anchors(page: Path) -> set[str]:
    """The addresses of the headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation():
    linked = set()
    for contents in (ROOT / "docs" / "index.md", ROOT / "docs" / "guides.md", ROOT / "docs" / "evidence" / "README.md"):
        links = re.findall(r"\]\(([\w./-]+\.md)\)", contents.read_text())
        linked |= {(contents.parent / link).resolve() for link in links}
    missing = {path for path in PAGES if path not in linked} - {ROOT / "README.md", ROOT / "docs" / "index.md"}
    assert not missing, sorted(path.name for path in missing)


@pytest.mark.parametrize("path", GUIDE_PAGES, ids=lambda path: path.name)
def test_guides_name_what_is_public(path):
    for name in set(re.findall(r"(?<![\w./-])probus((?:\.[A-Za-z_]\w*)+)", path.read_text())):
        thing = probus
        for part in name.split(".")[1:]:
            assert not part.startswith("_"), name
            thing = getattr(thing, part, None) or importlib.import_module(f"{thing.__name__}.{part}")


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_readme_runs_when_pasted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks(README):
        exec(compile("import probus\n" + block, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert "PB102" in said
    assert re.search(r"Sex = female and Pclass ≤ 2 +→  yes \(95 % of 170\)", said)
    assert (tmp_path / "model.probus").exists()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("block", [block for block in blocks(README) if "print(" in block])
def test_the_readme_shows_what_is_printed(block, tmp_path, monkeypatch, capsys):
    """Each part of a comment with a number in it, between dots, is printed by its line."""
    monkeypatch.chdir(tmp_path)
    names, checked = {}, 0
    for line in ("import probus", *block.splitlines()):
        exec(compile(line, "README.md", "exec"), names)
        said = " ".join(capsys.readouterr().out.split())
        comment = line.partition("  # ")[2] if line.startswith("print(") else ""
        for part in comment.split("…"):
            shown = " ".join(part.strip(" ·").split())
            if re.search(r"\d", shown):
                assert shown in said, line
                checked += 1
    assert checked or "print(export" not in block


def test_the_guide_to_trees_shows_the_printed_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page, names = (ROOT / "docs" / "trees.md").read_text(), {}
    for block in blocks(page):
        exec(compile(block, "docs/trees.md", "exec"), names)
    path = names["tree"].trace({**dict.fromkeys(names["birds"].drop("species").names), "bill_depth_mm": 14.0})
    assert f"# {repr(path).splitlines()[0]}\n" in page


def test_the_guide_to_support_vector_machines_runs(capsys):
    page = (ROOT / "docs" / "svm.md").read_text()
    for block in blocks(page):
        exec(compile(block, "docs/svm.md", "exec"), {})
    assert "['ing' 'ed']" in capsys.readouterr().out
    assert "# ['ing' 'ed']" in page


def test_the_guide_to_linear_models_shows_the_printed_summary(capsys):
    page, names = (ROOT / "docs" / "linear.md").read_text(), {}
    for block in blocks(page):
        exec(compile(block, "docs/linear.md", "exec"), names)
    shown = [line.removeprefix("# ") for line in blocks(page)[0].splitlines() if line.startswith("# ")]
    assert "\n".join(shown) in capsys.readouterr().out


@pytest.mark.parametrize("name", GUIDES)
def test_guides_show_what_is_printed(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page, names = (ROOT / "docs" / name).read_text(), {}
    for block in blocks(page):
        exec(compile(block, f"docs/{name}", "exec"), names)
        shown = "\n".join(line.removeprefix("# ") for line in block.splitlines() if line.startswith("# "))
        assert shown in capsys.readouterr().out


def test_every_experiment_has_a_line_in_the_readme_of_research():
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", RESEARCH, flags=re.MULTILINE))))
    assert named == {path.stem for path in (ROOT / "research").glob("*.py")} - {"__init__"}


def test_benchmarks_keeps_only_what_make_bench_runs():
    parts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert parts == {*MODULES, "__init__", "__main__", "measure"}


def test_new_timings_keep_what_is_written_beside_them():
    before = (ROOT / "docs" / "benchmarks.md").read_text()
    after = page(before, [as_line(Row("a contest", 1.0, "a peer", 2.0, 1.0, "equal"))], "8 cores, a machine.")
    assert "---|\n| a contest | 1.00 s | a peer 2.00 s | **2.00 ×** | 1 × | equal |\n\n" in after
    assert "\n8 cores, a machine.\n" in after
    assert all(line in after for line in before.splitlines() if "|" not in line and "2 cores, " not in line)


def test_new_timings_of_some_modules_keep_the_rows_of_others():
    former = lines_of((ROOT / "docs" / "benchmarks.md").read_text())
    assert len(former) > 100
    what, peer = contest_of(former[3])
    new = [
        as_line(Row(what, 1.0, peer, 99.0, 1.0, "equal")),
        as_line(Row("a contest", 1.0, "a peer", 2.0, 1.0, "equal")),
    ]
    after = merged(former, new)
    assert [line for line in after if line not in new] == [*former[:3], *former[4:]]
    assert (after[3], after[-1]) == tuple(new)
