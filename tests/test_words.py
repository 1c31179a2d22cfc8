"""Plain English in documents, pages and code: the words and phrases that made readers stumble do not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")])
#: Templates, styles, scripts and Python, with their texts, comments and names.
SOURCES = sorted(
    path
    for folder in ("contests", "ratings", "platform", "scripts", "tests", "templates", "static")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".html", ".txt", ".css", ".js", ".mjs", ".sh"}
    # Not checked: vendored files, migrations that databases have applied already, and this list itself.
    and not {"vendor", "migrations"} & set(path.parts)
    and path != Path(__file__)
)

# A review by native speakers in November 2026 found these in pages, documents and names. Keys are regular expressions
# that ignore case; values say what to write instead.

#: Words that are dated, literary or ambiguous.
WORDS = {
    r"somebody": "someone",
    r"everybody": "everyone",
    r"anybody": "anyone",
    r"who(m|so)?ever": "players who, anyone who",
    r"foretells?|foretelling|foretold": "predict, forecast",
    r"foresees?|foreseeing|foreseen": "forecast, preview",
    r"would-be": "projected",
    r"mend|mends|mended|mending": "fix, correct",
    r"not any ?more|not \w+ any more": "no longer",
    r"(is|are|was|were|be) said": "name the page or program that says it",
    r"(is|are|was|were|be) told": "name the page or program that tells it",
    r"(which|what) has to be": "address the reader: Fix …",
    r"(?<!there )is no (rating|day|colour|country)": "is not a valid rating",
    r"goes home": "exits",
}

#: Phrases of pages and messages.
PHRASES = {
    r"have it read otherwise": "change how it is read",
    r"found out": "detected automatically",
    r"stops? nothing": "You can save anyway",
    r"else of the file": "someone else in the file",
    r"who is meant": "Choose the right player",
    r"stands in the contest": "is in the contest",
    r"the contest as it would be": "Projected standings",
    r"what each place brings": "Rating change by place",
    r"as sure as it may be": "overconfident",
    r"from the belief to the number": "From internal to displayed rating",
    r"mean of the belief": "best estimate",
    r"it lacks \d": "… points short of",
    r"it may fall by": "… points above relegation to",
    r"of bonus are left": "bonus points left",
    r"have which rating": "Rating distribution",
    r"fewest contests|played within days": "Minimum contests, Active in the last … days",
    r"in four of five contests": "80 % of the time",
    r"who counted most": "Opponents who mattered most",
    r"why did .{1,30} get [-−]?\d": "Why did … lose … points?",
    r"place at least so good": "this place or better",
    r"most places among the first three": "Most podiums",
    r"box, for html": "Embed (HTML)",
    r"unfolds to a card": "Links show a preview card",
    r"above it from the start": "Started above",
    r"no password of ours": "You don’t need an account",
    r"this request makes no sense": "We couldn’t understand this request",
    r"what this column holds": "Unknown column, ignored",
    r"has been written down": "has been logged",
    r"everybody may see": "Anyone can see",
    r"(times|seconds) by the clock": "wall-clock times",
    r"without both": "without either",
    r"as (long|wide) as (wide|long)": "one side … times as long as the other",
    r"met lately": "met recently",
    r"(positions|numbers) are no (ratings|positions)": "are not",
    r"failures of a network": "failed attempts from one network",
}

#: Names of modules and functions that were renamed; common words among them are left out.
NAMES = {
    r"ratings[./](derivations|desk|pages|views)": "ratings.derived, web.organize, web.public",
    r"suited\.py": "default_display.py",
    r"fanning\.py": "celery_evaluation.py",
    r"prominence": "top_players",
    r"jumping\.py": "row_lookup.py",
    r"bury_orphans": "fail_abandoned_runs",
    r"keep_players_apart|join_players": "lock_players_shared, lock_players_exclusive",
    r"said_otherwise": "description_differences",
}

REMEDIES = {**WORDS, **PHRASES, **NAMES}
ANY = re.compile(rf"\b({'|'.join(f'({word})' for word in REMEDIES)})\b", flags=re.IGNORECASE)
#: A module or class whose docstring begins like a question instead of saying what the thing is.
HEADLESS = re.compile(r'(?:\A|^ *class [^\n]*:\n)\s*"""\s*((?:What|Who|Whom|Whose|How)\b[^\n]*)', re.MULTILINE)
# Blocks of code quote what programs write, so they change with the programs.
CODE = re.compile(r"^```.*?^```|(?<=\n\n)(?: {4}[^\n]*\n)+", re.DOTALL | re.MULTILINE)


def prose_of(document: str) -> str:
    """Return a document without its blocks of code, with the same numbers of lines."""
    return CODE.sub(lambda code: "\n" * code[0].count("\n"), document)


def stumbling_blocks(text: str) -> list[str]:
    """Return each such word of a text, with its line and what to write instead."""
    line_by_line = re.sub(r"\s", " ", text)
    if not ANY.search(line_by_line):
        return []
    found = [
        (text.count("\n", 0, match.start()) + 1, f"“{match[0]}”: write “{remedy}”")
        for word, remedy in REMEDIES.items()
        for match in re.finditer(rf"\b({word})\b", line_by_line, flags=re.IGNORECASE)
    ]
    return [f"line {line}, {problem}" for line, problem in sorted(found)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_is_in_plain_english(document: Path) -> None:
    assert stumbling_blocks(prose_of(document.read_text(encoding="utf-8"))) == []


def test_pages_and_code_are_in_plain_english() -> None:
    assert {path.suffix for path in SOURCES} >= {".py", ".html", ".css", ".js"}
    problems = [
        f"{path.relative_to(ROOT)}, {problem}"
        for path in SOURCES
        for problem in stumbling_blocks(path.read_text(encoding="utf-8"))
    ]
    assert problems == []


def test_words_are_found_across_lines_regardless_of_case_but_not_in_code() -> None:
    text = "Fine.\n\n    somebody = 1\n\n```\nwould-be\n```\nThis is\nsaid by Somebody, who amended it.\n"
    assert stumbling_blocks(prose_of(text)) == [
        "line 8, “is said”: write “name the page or program that says it”",
        "line 9, “Somebody”: write “someone”",
    ]


def test_modules_and_classes_say_what_they_are() -> None:
    assert HEADLESS.findall('"""\nHow to read."""\n\nclass Page:\n    """What a page says."""\n') == [
        'How to read."""',
        'What a page says."""',
    ]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in SOURCES if path.suffix == ".py"}
    assert {path: found for path, text in texts.items() if (found := HEADLESS.findall(text))} == {}
