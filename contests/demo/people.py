"""Fictional people, each with a name, country, affiliation and plausible handle."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from contests.demo import DemoPlayer
from contests.handles import handle_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

_NAMES = Path(__file__).with_name("names.tsv")

ENGLISH_SCHOOLS = (
    "Northwind Institute of Technology|Saltmarsh University|Copper Bay College|University of Westerly|Gull Rock Academy"
    "|Lanternfield School|Halyard Computing Society|Three Rivers Polytechnic|Mistral Lab|Oakhaven High School"
    "|Tidewater Coding Club|Longwharf University|Ropewalk Software|Blue Buoy Robotics"
)

NICK_FIRST = (
    "quiet lazy bright paper copper salty silent greedy binary rapid sleepy tiny amber hidden lunar mossy northern odd "
    "pixel rusty solar stray velvet windy zero"
)
NICK_SECOND = (
    "otter heron segtree lantern gull comet badger trie turtle pivot harbor falcon kettle maple noodle octopus pebble "
    "quokka raven stack tofu urchin walrus yak mutex heap"
)

# Letters that Unicode does not decompose into a Latin letter and a mark.
_ROMANIZED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "ß": "ss", "þ": "th", "ð": "d", "æ": "ae"})

_NATIVE_HANDLES = 0.08
_WITHOUT_AFFILIATION = 0.35


@dataclass(frozen=True, slots=True)
class _Language:
    """
    Names of one language, a line of names.tsv.

    Names in non-Latin letters are written as "native/romanized"; handles use the romanized form. If family
    names depend on the gender, women and men have separate lines.

    countries
        ISO 3166 alpha-2 codes, each with its share: "ES3 MX2".
    share
        Weight of the language in the community, relative to the others.
    full_name
        Format of the full name, such as "{family} {given}".
    given, family
        Separated by spaces.
    schools
        Fictional affiliations, separated by "|".
    """

    countries: str
    share: float
    full_name: str
    given: str
    family: str
    schools: str


@cache
def _languages() -> tuple[_Language, ...]:
    rows = [line.split("\t") for line in _NAMES.read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(
        _Language(countries, float(share), full_name, given, family, schools)
        for countries, share, full_name, given, family, schools in rows
    )


def make_people(rng: np.random.Generator, count: int) -> tuple[DemoPlayer, ...]:
    """Return people with unique names and handles that are unique regardless of case."""
    languages = _languages()
    shares = [language.share for language in languages]
    chosen = rng.choice(len(languages), size=count, p=[share / sum(shares) for share in shares])
    # Every language has at least one person.
    for position in range(min(count, len(languages))):
        chosen[position] = position
    rng.shuffle(chosen)

    people: list[DemoPlayer] = []
    names: set[str] = set()
    handles: set[str] = set()
    for position in chosen.tolist():
        people.append(_make_person(rng, languages[position], names, handles))
    return tuple(people)


def romanize(word: str) -> str:
    """Return a word in Latin letters as lower-case ASCII letters."""
    plain = unicodedata.normalize("NFKD", word.casefold().translate(_ROMANIZED))
    return "".join(letter for letter in plain if letter.isascii() and letter.isalpha())


def _make_person(rng: np.random.Generator, language: _Language, names: set[str], handles: set[str]) -> DemoPlayer:
    for _ in range(50):
        given, given_ascii = _word(rng, language.given)
        family, family_ascii = _word(rng, language.family)
        name = unicodedata.normalize("NFC", language.full_name.format(given=given, family=family))
        if name not in names:
            break
    names.add(name)
    native = given if given_ascii != romanize(given) else None
    handle = _make_handle(rng, given_ascii, family_ascii, native)
    while handle_key(handle) in handles:
        handle = f"{handle}{rng.integers(2, 100)}"
    handles.add(handle_key(handle))
    return DemoPlayer(handle, name, _country(rng, language), _affiliation(rng, language))


def _make_handle(rng: np.random.Generator, given: str, family: str, native: str | None) -> str:
    """Draw a handle that a person of this name might choose on a contest site."""
    if native is not None and rng.random() < _NATIVE_HANDLES:
        return unicodedata.normalize("NFC", native)
    number = int(rng.choice([7, 13, 42, 64, 99, 101, 256, 314, 1024, *range(1, 100)]))
    first, second = str(rng.choice(NICK_FIRST.split())), str(rng.choice(NICK_SECOND.split()))
    styles = (
        f"{given}_{family}",
        f"{given[0]}{family}",
        f"{family}.{given[0]}",
        f"{given}{number}",
        f"{family}{number}",
        f"{given.capitalize()}{family.capitalize()}",
        f"{first}_{second}",
        f"{first.capitalize()}{second.capitalize()}",
        f"{second}{number}",
        f"{given}-{second}",
        f"{second}_{given}",
    )
    return styles[int(rng.integers(len(styles)))]


def _word(rng: np.random.Generator, words: str) -> tuple[str, str]:
    """Draw one of the words; return it and its ASCII form."""
    native, _, romanized = str(rng.choice(words.split())).partition("/")
    return native, romanized or romanize(native)


def _country(rng: np.random.Generator, language: _Language) -> str:
    countries = [entry[:2] for entry in language.countries.split() for _ in range(int(entry[2:]))]
    return str(rng.choice(countries))


def _affiliation(rng: np.random.Generator, language: _Language) -> str:
    if rng.random() < _WITHOUT_AFFILIATION:
        return ""
    schools: Sequence[str] = ENGLISH_SCHOOLS.split("|")
    if language.schools and rng.random() < 0.6:
        schools = language.schools.split("|")
    return str(rng.choice(schools))
