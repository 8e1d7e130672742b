from html.parser import HTMLParser

import pytest

_VOID = {"meta", "br", "img", "link", "hr", "input", "image", "path"}


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, its text, and tags that were not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.html, self.elements, self.words, self.open, self.crossed = html, [], [], [], []
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
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def must_be_sound(html):
    """Well-formed, and needing nothing from outside: no scripts, no resources but data within the page."""
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert page.crossed == []
    assert page.open == []
    assert not {"script", "link", "iframe", "object", "embed", "img"} & {tag for tag, _ in page.elements}
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            assert attributes.get(name, "data:").startswith("data:"), (tag, attributes)
    assert "http:" not in html
    assert "https:" not in html
    assert "url(" not in html
    assert "@import" not in html
    identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    return page


@pytest.fixture
def sound():
    return must_be_sound
