"""Pages as readers see them: text without markup, and tables as rows of cells."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.http import HttpResponse

INLINE = {"a", "abbr", "b", "bdi", "small", "span", "strong", "time"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """
    The texts of a page.

    text
        All text of the body, with each run of white space replaced by one space.
    tables
        One list of rows per table, each row a list of the texts of its cells; headings first.
    links
        Address by text of the link.
    """

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.status = response.status_code
        self.tables: list[list[list[str]]] = []
        self.links: dict[str, str] = {}
        self.headings: list[str] = []
        self._open: list[str] = []
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._href = ""
        self.feed(response.content.decode())

    @property
    def text(self) -> str:
        return " ".join("".join(self._pieces).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        self._separate(tag)
        self._open.append(tag)
        self._starts.append(len(self._pieces))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag == "a":
            self._href = dict(attrs).get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()
        self._separate(tag)
        text = " ".join("".join(self._pieces[self._starts.pop() :]).split())
        if tag in ("td", "th"):
            self.tables[-1][-1].append(text)
        elif tag == "a":
            self.links[text] = self._href
        elif tag == "h1":
            self.headings.append(text)

    def _separate(self, tag: str) -> None:
        """Separate the texts of block elements."""
        if tag not in INLINE:
            self._pieces.append(" ")

    def handle_data(self, data: str) -> None:
        if not {"script", "style", "head"} & set(self._open):
            self._pieces.append(data)


def text_of(response: HttpResponse) -> str:
    """Return the text of a page that must have been found, with ordinary spaces."""
    assert response.status_code == 200, response.status_code
    return " ".join(Page(response).text.replace("\u00a0", " ").split())


def markup(response: HttpResponse) -> str:
    """Return the HTML of a page with each run of white space as one space, and none before the end of a tag."""
    return re.sub(r" (?=/?>)", "", re.sub(r"\s+", " ", response.content.decode()))
