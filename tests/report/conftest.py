from functools import lru_cache
from html.parser import HTMLParser
from importlib.resources import files

import pytest

import probus
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.lifecycle import _study_run as study_run
from probus.naive_bayes import NaiveBayes
from probus.pipeline import tabular
from probus.report import StudyReport, study_page
from probus.tree import DecisionTreeRegressor

_OWN_SCRIPT = files("probus.report").joinpath("templates/costs.js").read_text(encoding="utf-8").strip()
_VOID = {"meta", "br", "img", "link", "hr", "input", "image", "path"}


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, its text, and tags that were not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.html, self.elements, self.words, self.open, self.crossed, self.scripts = html, [], [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.words).append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def must_be_sound(html):
    """Well-formed, and needing nothing from outside: no scripts but our own, no resources but data within the page."""
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert page.crossed == []
    assert page.open == []
    assert not {"link", "iframe", "object", "embed", "img"} & {tag for tag, _ in page.elements}
    assert {script.strip() for script in page.scripts} <= {_OWN_SCRIPT}
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            assert attributes.get(name, "data:").startswith(("data:", "#")), (tag, attributes)
    assert "http:" not in html
    assert "https:" not in html
    assert "url(" not in html
    assert "@import" not in html
    identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    targets = {attributes["href"][1:] for _, attributes in page.elements if attributes.get("href", "").startswith("#")}
    assert targets <= set(identifiers)
    assert all(attributes.get("aria-label") for tag, attributes in page.elements if tag == "svg")
    return page


@pytest.fixture
def sound():
    return must_be_sound


def _cheap(kind, chosen=None, n_rows=None, seconds=None):
    if kind == "classification":
        return {"Zero-R": ZeroRClassifier(), "NaiveBayes": tabular(NaiveBayes())}
    return {"Zero-R": ZeroRRegressor(), "Tree": tabular(DecisionTreeRegressor(max_depth=3))}


@pytest.fixture(scope="module")
def cheap_models():
    """Studies of two cheap models, for the tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_run, "families", _cheap)
        yield


@pytest.fixture(scope="session")
def cheap_study():
    """A study of two cheap models on a bundled data set."""

    def run(name, target, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(study_run, "families", _cheap)
            return probus.study(name, target=target, **{"cv": 3, "progress": None, "evaluations": 0, **options})

    return run


@pytest.fixture(scope="session")
def titanic_report(cheap_study):
    return StudyReport.of(cheap_study("titanic", "Survived"), time=0)


@pytest.fixture(scope="session")
def iris_report(cheap_study):
    return StudyReport.of(cheap_study("iris", "species"), time=60)


@pytest.fixture(scope="session")
def cars_report(cheap_study):
    return StudyReport.of(cheap_study("mtcars", "mpg"), time=60)


@pytest.fixture(scope="session")
def page_of():
    """The page of a report, made once."""
    return lru_cache(study_page)
