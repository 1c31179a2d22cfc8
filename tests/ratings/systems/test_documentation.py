"""docs/rating-systems.md matches the library: every system, its parameters with their defaults, and its picture."""

import re
from pathlib import Path

import pytest

from ratings.systems import SYSTEMS, Parameter
from tests.ratings.systems.contract import every_system

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "rating-systems.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def section(name: str) -> str:
    """The text under the heading of a system."""
    return re.split(r"^## ", PAGE.split(f"\n## {name}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def written(parameter: Parameter) -> list[str]:
    """Ways to write a default, without its unit."""
    if parameter.kind == "flag":
        return [str(parameter.default).lower()]
    if parameter.kind in ("choice", "numbers"):
        return [str(parameter.default or "none")]
    value = float(parameter.default)  # type: ignore[arg-type]
    return [f"{value:g}", f"{value:.1f}", f"{value:.2f}"]


def as_number(text: str) -> str:
    """A default as the page writes it: the first word, fractions worked out."""
    word = text.split()[0]
    top, slash, bottom = word.partition("/")
    return f"{float(top) / float(bottom):g}" if slash else word


@every_system
def test_a_system_has_a_section_with_source_and_picture(name: str) -> None:
    text = section(name)
    assert "Source: " in text
    assert f"(figures/{name}.svg)" in text
    assert (DOCS / "figures" / f"{name}.svg").is_file(), "draw it: python scripts/figures.py"


@every_system
def test_the_table_of_parameters_is_that_of_the_system(name: str) -> None:
    rows = {parameter: default.strip() for parameter, default, _ in ROW.findall(section(name))}
    parameters = {parameter.name: parameter for parameter in SYSTEMS[name].PARAMETERS}
    assert set(rows) == set(parameters)
    for key, default in rows.items():
        assert as_number(default) in written(parameters[key]), f"{key}: {default}"


def test_every_section_belongs_to_a_system() -> None:
    sections = set(re.findall(r"^## ([a-z0-9-]+)$", PAGE, flags=re.MULTILINE))
    assert sections == set(SYSTEMS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_table_at_the_top_links_each_system(name: str) -> None:
    assert f"| [`{name}`](#{name}) |" in PAGE
