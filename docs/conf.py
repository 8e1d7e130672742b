"""The documentation site, built by `make docs`: the pages of this folder, and API pages made from docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version as installed
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

import probus

HERE = Path(__file__).parent
API, PROJECT = HERE / "api", HERE / "project"  # both are written by each build
OUTSIDE = {"changes": "CHANGELOG.md", "contributing": "CONTRIBUTING.md", "research": "research/README.md"}

project = "Probus"
copyright = "The Probus developers"
version = release = installed("probus")
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 4
default_role = "code"
add_module_names = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"
smartquotes = False
copybutton_prompt_text = ">>> "
copybutton_only_copy_prompt_lines = False
suppress_warnings = ["ref.*"]  # labels of scikit-learn's own pages, in inherited docstrings

html_theme = "pydata_sphinx_theme"
html_title = "Probus"
html_static_path = ["_static"]
html_css_files = ["probus.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Probus"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": []}


# -- navigation: the links of these pages -----------------------------------------------------------------------------


def write_project(app: Sphinx) -> None:
    """Copy the pages that lie outside this folder."""
    for name, path in OUTSIDE.items():
        write(PROJECT / f"{name}.md", (HERE.parent / path).read_text())


def resolve_links(app: Sphinx, page: str, source: list[str]) -> None:
    """Resolve links where the file really lies; what is no page becomes text."""
    path = HERE.parent / OUTSIDE[page.removeprefix("project/")] if page.startswith("project/") else HERE / f"{page}.md"
    pages = {(HERE.parent / outside).resolve(): f"project/{name}.md" for name, outside in OUTSIDE.items()}

    def resolved(link: re.Match[str]) -> str:
        target = (path.parent / link[2]).resolve()
        inside = pages.get(target) or (target.relative_to(HERE).as_posix() if target.is_relative_to(HERE) else "")
        return f"[{link[1]}](/{inside}{link[3] or ''})" if inside else link[1]

    if path.is_file():
        source[0] = re.sub(r"\[([^\]\[]*)\]\((?!\w+:)([^)#\s]+)(#[^)\s]*)?\)", resolved, source[0])


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Make the links of pages of contents the navigation, with their headings."""
    if page not in ("index", "guides", "evidence/README"):
        return
    for part in re.split(r"^(?=## )", source[0], flags=re.MULTILINE):
        caption = part.partition("\n")[0].removeprefix("## ")
        links = re.findall(r"\[([^]]+)\]\(/([\w/-]+)\.md\)", part)
        if page == "evidence/README":
            links = [link for link in links if link[1].startswith("evidence/")]
        elif page == "index":
            links = [links[0], ("API", "api/index"), *links[1:]] if caption == "Contents" else []
        if links:
            entries = [f"{text[0].upper()}{text[1:]} </{linked}>" for text, linked in links]
            source[0] += "\n" + toctree(entries, [f":caption: {caption}"] if page == "guides" else [])


def toctree(pages: list[str], options: list[str] | None = None) -> str:
    return "\n".join(["```{toctree}", ":hidden:", *(options or []), "", *pages, "```", ""])


# -- API pages: one for each package, and for each public name ---------------------------------------------------------


OTHERS = ("linear_model.optimisers", "metrics.pairwise")  # public packages inside of packages


def packages() -> list[ModuleType]:
    """The public packages, and the modules that are used as such: `errors`, `base`."""
    names = [name for name in probus.__all__ if isinstance(getattr(probus, name), ModuleType)]
    return [import_module(f"probus.{name}") for name in sorted([*names, *OTHERS])]


def write_api(app: Sphinx) -> None:
    """Write the sources of the API pages, and remove those of names that are gone."""
    API.mkdir(exist_ok=True)
    before, written = set(API.iterdir()), set()
    rows, pages = ["| package | what |", "|---|---|"], []
    for package in [probus, *packages()]:
        for path, text in sources_of(package):
            written.add(write(API / path, text))
        rows.append(f"| [`{package.__name__}`]({package.__name__}.md) | {summary_of(package)} |")
        pages.append(package.__name__)
    written.add(
        write(
            API / "index.md", "\n".join(["# API", "", "Every public name, by package.", "", *rows, "", toctree(pages)])
        )
    )
    for path in before - written:
        path.unlink()


def sources_of(package: ModuleType) -> Iterator[tuple[str, str]]:
    """The page of a package, and those of the names that it is the home of."""
    public = [name for name in package.__all__ if not isinstance(getattr(package, name), ModuleType)]
    own = sorted((name for name in public if is_ours(getattr(package, name))), key=str.lower)
    yield f"{package.__name__}.md", package_page(package, own, [name for name in public if name not in own])
    for name in own:
        if home(package, name) is package:
            yield f"{package.__name__}.{name}.rst", object_page(package, name)


def write(path: Path, text: str) -> Path:
    """Write the file if that changes it: what is unchanged is not built again."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def summary_of(thing: Any) -> str:
    """The first paragraph of its docstring, for a cell of a table."""
    if isinstance(thing, dict | tuple | list | frozenset):
        return ""
    first = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return re.sub(r":math:`([^`]*)`", r"{math}`\1`", first).replace("|", "\\|").replace("``", "`")


def is_ours(thing: Any) -> bool:
    return (getattr(thing, "__module__", None) or type(thing).__module__ or "probus").split(".")[0] in (
        "probus",
        "builtins",
    )


def home(package: ModuleType, name: str) -> ModuleType:
    """The package that documents the name, where several have it: the deepest one that it is defined in."""
    thing = getattr(package, name)
    having = [each for each in packages() if getattr(each, name, None) is thing and name in each.__all__]
    defined = getattr(thing, "__module__", "") or ""
    inside = [each for each in having if defined == each.__name__ or defined.startswith(each.__name__ + ".")]
    return (inside or having or [package])[0]


def package_page(package: ModuleType, own: list[str], borrowed: list[str]) -> str:
    homes = {name: home(package, name).__name__ for name in own}
    rows = [f"| [`{name}`]({homes[name]}.{name}.rst) | {summary_of(getattr(package, name))} |" for name in own]
    pages = [f"{package.__name__}.{name}" for name in own if homes[name] == package.__name__]
    parts = [f"# {package.__name__}", "", summary_of(package), "", "| name | what |", "|---|---|", *rows, ""]
    if borrowed:
        names = ", ".join(f"`{name}`" for name in sorted(borrowed, key=str.lower))
        parts += ["## Borrowed", "", f"From scikit-learn, or where it has them from: {names}.", ""]
    return "\n".join([*parts, toctree(pages) if pages else ""])


def object_page(package: ModuleType, name: str) -> str:
    thing = getattr(package, name)
    kind = "class" if inspect.isclass(thing) else "function" if callable(thing) else "data"
    options = {
        "class": ["   :members:", "   :inherited-members: object, dict, tuple, str, Exception"],
        "data": ["   :no-value:"],
    }
    body = [f".. auto{kind}:: {package.__name__}.{name}", *options.get(kind, [])]
    where = f"``from {package.__name__} import {name}``" + (f", or ``probus.{name}``" if name in probus.__all__ else "")
    return "\n".join([name, "=" * len(name), "", where, "", *body, ""])


# -- docstrings --------------------------------------------------------------------------------------------------------

FIELD = re.compile(r"(\*{0,2}\w+(?:,\s+\*{0,2}\w+)*)(?: : (.+))?")
FIELDS = ("Parameters", "Attributes", "Other Parameters")
TYPE = re.compile(
    r"(\{|'|int\b|float\b|bool\b|str\b|array|ndarray|callable|dict\b|list\b|tuple\b|None\b|RandomState|Path|Table\b|Task\b"
    r"|estimator\b|sequence\b|object\b|matrix\b|frame\b|mapping\b|any\b)|.*(, default|, optional)"
)
CODE = re.compile(r"(``.*?``|:\w+:`.*?`|`[^`]+`)")


def readable(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Make a docstring what numpydoc expects.

    A description after `name :` moves into the indented block, paragraphs between fields into the notes, and a doctest
    into the examples.
    """
    if not str(getattr(thing, "__module__", None) or "probus").startswith("probus"):
        return
    section, doctest, result, notes = "", False, [], []
    for line, following in pairwise([*lines, ""]):
        doctest = line.startswith(">>>") or (doctest and bool(line.strip()))
        if re.fullmatch(r"-{3,}", following):
            section = line
        elif re.fullmatch(r"-{3,}", line):
            pass
        elif doctest:
            if line.startswith(">>>") and section not in ("", "Examples") and "Examples" not in lines:
                section = "Examples"
                result += ["", "Examples", "--------"]
        elif field := FIELD.fullmatch(line):
            line = re.sub(r"\s+", " ", line)
            if section == "" and what in ("function", "method") and field[2] and "Parameters" not in lines:
                section = "Parameters"
                result += ["", "Parameters", "----------"]
            typed = following.startswith("    ") and TYPE.match(field[2] or "") and not following.strip()[0].islower()
            if section in FIELDS and field[2] and not typed:
                line = f"{field[1]}\n    {escaped(field[2])}"
        elif section in FIELDS and line[:1].strip():
            notes += [""] if result and not result[-1].strip() else []
            notes.append(escaped(line))
            continue
        else:
            line = escaped(line)
        result += line.split("\n")
    if notes and "Notes" in result:
        result[result.index("Notes") + 2 : result.index("Notes") + 2] = [*notes, ""]
    elif notes:
        result += ["", "Notes", "-----", *notes, ""]
    lines[:] = [re.sub(r"\bdocs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in result]


def escaped(line: str) -> str:
    """The line, with names of attributes such as coef_ as code, and absolute values as they are."""
    parts = CODE.split(line)
    parts[::2] = [re.sub(r"(?<!\w)([A-Za-z]\w*_)(?!\w)", r"``\1``", part).replace("|", r"\|") for part in parts[::2]]
    return "".join(parts)


INTERNAL = {
    "accepts",
    "check_fitted_state",
    "examples",
    "fitted",
    "fitted_state",
    "get_metadata_routing",
    "to_be_saved",
}


def leave_out(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what only developers of estimators need: `probus.base` and `probus.state` document it."""
    return True if name in INTERNAL or re.fullmatch(r"set_\w+_request", name) else None


# -- links and formulas ------------------------------------------------------------------------------------------------


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make public names in code type links to their pages."""
    for literal in list(doctree.findall(nodes.literal)):
        target = app.env.probus_names.get(re.sub(r"\(.*\)$", "", literal.astext()))  # type: ignore[attr-defined]
        above = literal.parent
        while above is not None and not isinstance(above, nodes.reference | nodes.title | nodes.term):
            above = above.parent
        if target and target != page and above is None:
            uri = app.builder.get_relative_uri(page, target)
            reference = nodes.reference("", "", internal=True, refuri=uri)
            literal.replace_self(reference)
            reference += literal


def collect_names(app: Sphinx, env: Any) -> None:
    """Which page a name has: short where only one package has it, and with its package."""
    pages: dict[str, str | None] = {}
    for package in [probus, *packages()]:
        pages[package.__name__] = f"api/{package.__name__}"
        for name in package.__all__:
            if not isinstance(getattr(package, name), ModuleType) and is_ours(getattr(package, name)):
                page = f"api/{home(package, name).__name__}.{name}"
                pages[f"{package.__name__}.{name}"] = page
                pages[name] = page if pages.get(name, page) == page else None
    env.probus_names = pages


def as_mathml(self: Any, node: nodes.math) -> None:
    block = isinstance(node, nodes.math_block)
    self.body.append(convert(node.astext(), display="block" if block else "inline"))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_api)
    app.connect("builder-inited", write_project)
    app.connect("source-read", resolve_links)
    app.connect("source-read", add_navigation)
    app.connect("env-updated", collect_names)
    app.connect("autodoc-process-docstring", readable, priority=100)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("doctree-resolved", link_names)
    for kind in (nodes.math, nodes.math_block):
        app.add_node(kind, override=True, html=(as_mathml, None))
