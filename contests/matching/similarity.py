"""
Similarity of two players' names: the rules by which a new name may be a misspelling of a known one.

This module is pure and compares one pair; `contests.matching.close_names` finds the pairs worth comparing. The
strongest of these pieces of evidence counts, where n is the number of letters of the longer handle:

=============================================  ================================================  ==========
evidence                                       when                                              similarity
=============================================  ================================================  ==========
same letters and digits                        apart from case, accents, punctuation, spaces     97, 88 for n < 5
digits for letters                             "al3x" and "alex"; n >= 4                         92
letters of other scripts that look alike       Cyrillic "аlex" and "alex"                        92
the same parts in another order                "ivanov_petr" and "Petr Ivanov"                   90
same name, its parts in any order              two parts or more; countries that do not differ   90, 75 (*)
one's handle is the other's name               likewise                                          85
one's handle is the other's name, misspelt     likewise, d letters of the sorted parts; no       100 (n - d) / n,
                                               digits                                            at most 85
few letters added, missing, changed, swapped   d of them, equal digits                           100 (n - d) / n
a number added                                 "dmitriy" and "dmitriy2"; n >= 5                  70
=============================================  ================================================  ==========

(*) 90 if both countries are known, 75 otherwise. d may be 1 for n >= 5 and 2 for n >= 8: "ann" and "ana" are two
people, but "alexanderk" and "aleksanderk" may be one. Different numbers mean different people. Adjustments: equal names
+5, names without a common part -20, same country +2, different countries -15, misspelt handles with a different first
letter -8.

Databases find similar names by numeric keys: two similar names nearly always share one. The known names are stored with
a few keys each (`contests.matching.name_index`), and a new name is looked up by its own keys:

- the forms that may be equal (letters, look-alikes, sorted parts, the name, letters without the number);
- for misspelt handles, pieces of the known one: two edits leave one of three pieces unchanged, or two of four. Handles
  of 11 letters or more are found by any one of three pieces, those of 8 to 10 by any two of four, those of 5 to 7 (in
  which one edit is allowed) by any two of three. The new name is cut at every position where such a piece may occur.
  Two letters swapped across the border of two pieces are swapped back for that. Sorted parts have such pieces too.

`scripts/bench/candidates.py --recall` measures how many similar names are found.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.utils.translation import gettext
from rapidfuzz.distance import OSA

from contests.handles import handle_key, words_of
from contests.matching.lookalikes import in_ascii_letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    #: Pieces of a handle, as (start, stop).
    Pieces = tuple[tuple[int, int], ...]


#: The least similarity of a suggestion.
LEAST_SHOWN = 60
#: The least similarity for a warning about a new player.
LEAST_WARNED = 85

_ASCII_REST = {code: None for code in range(128) if not chr(code).isalnum()}
_ASCII_DIGITS = {code: None for code in range(ord("0"), ord("9") + 1)}
_ASCII_PART = re.compile("[a-z0-9]+")
#: Digits and letters that replace other letters or look like them.
_LOOKS = str.maketrans(
    "01345789lаеорсухікмтвн",
    "oieastbgiaeopcyxikmtbh",
)


class Forms(NamedTuple):
    """
    The forms of a player's names that are compared: folded (no case, no accents), "" if missing.

    plain
        The letters and digits of the handle.
    letters, digits
        The letters and the digits of the handle separately.
    looks
        `plain` with look-alike characters replaced.
    parts, name
        The sorted parts of the handle and of the name, if there are two or more.
    """

    plain: str
    letters: str
    digits: str
    looks: str
    parts: str
    name: str
    country: str


class Likeness(NamedTuple):
    """The similarity of two players, 0 to 99, and the reason in words."""

    similarity: int
    why: str


def forms_of(handle: str, name: str = "", country: str = "") -> Forms:
    """Return the forms of a player's names."""
    plain, parts = folded(handle_key(handle))
    shape = plain
    if not handle.isascii() and (shown := in_ascii_letters(handle)).isascii():
        shape = folded(handle_key(shown))[0]
    letters, digits = plain, ""
    if not plain.isalpha():
        letters = _without_digits(plain)
        if len(letters) != len(plain):
            digits = "".join(character for character in plain if character.isdecimal())
    bag = folded(handle_key(name))[1] if name else ""
    return Forms(plain, letters, digits, shape.translate(_LOOKS), parts, bag, country)


def allowed_distance(letters: int) -> int:
    """Return the number of edits by which two handles may differ, if the longer one has this many letters."""
    return 2 if letters >= 8 else 1 if letters >= 5 else 0


def likeness(one: Forms, other: Forms) -> Likeness | None:
    """Return the similarity of two players, None if there is no evidence."""
    same_name = bool(one.name) and one.name == other.name
    same_country = bool(one.country) and one.country == other.country
    differ = bool(one.country and other.country) and not same_country
    of_handles = _of_handles(one, other)
    of_names = _of_names(one, other, same_name, same_country) if not differ else None
    found = max(filter(None, (of_handles, of_names)), key=lambda likeness: likeness.similarity, default=None)
    if found is None:
        return None
    similarity, reasons = found.similarity, [found.why]
    if found is of_handles:
        if same_name:
            similarity, reasons = similarity + 5, [*reasons, gettext("same name")]
        elif one.name and other.name and not {*one.name.split()} & {*other.name.split()}:
            similarity -= 20
        if same_country:
            similarity, reasons = similarity + 2, [*reasons, gettext("same country")]
        elif differ:
            similarity -= 15
    return Likeness(min(similarity, 99), ", ".join(reasons))


def _of_handles(one: Forms, other: Forms) -> Likeness | None:
    if one.plain and one.plain == other.plain:
        return Likeness(97 if len(one.letters) >= 5 else 88, gettext("the same letters, written differently"))
    longer = max(len(one.letters), len(other.letters))
    # Short handles of ASCII letters, such as "b0b" and "bob", are too often those of two people.
    is_long = longer >= 4 or not (one.plain.isascii() and other.plain.isascii())
    if is_long and one.looks and one.looks == other.looks:
        return Likeness(92, gettext("letters that look alike"))
    if one.parts and one.parts == other.parts:
        return Likeness(90, gettext("the same parts in another order"))
    if one.digits == other.digits:
        return _misspelt(one.letters, other.letters)
    if one.letters == other.letters and longer >= 5 and not (one.digits and other.digits):
        return Likeness(70, gettext("the same apart from a number"))
    return None


def _misspelt(one: str, other: str) -> Likeness | None:
    longer, distance = max(len(one), len(other)), _distance(one, other)
    if not distance:
        return None
    similarity = 100 * (longer - distance) // longer - (8 if one[:1] != other[:1] else 0)
    why = gettext("handles differ by one letter") if distance == 1 else gettext("handles differ by two letters")
    return Likeness(similarity, why)


def _distance(one: str, other: str) -> int:
    """Return the number of edits between two texts, 0 if they are equal or differ by more than their length allows."""
    allowed = allowed_distance(max(len(one), len(other)))
    distance = OSA.distance(one, other, score_cutoff=allowed)
    return distance if distance <= allowed else 0


def _of_names(one: Forms, other: Forms, same_name: bool, same_country: bool) -> Likeness | None:
    if same_name:
        return Likeness(90, gettext("same name and country")) if same_country else Likeness(75, gettext("same name"))
    if (one.parts and one.parts == other.name) or (one.name and one.name == other.parts):
        return Likeness(85, gettext("the handle of one is the name of the other"))
    crossed = (_misspelt_name(one.parts, other.name), _misspelt_name(one.name, other.parts))
    return max(filter(None, crossed), key=lambda likeness: likeness.similarity, default=None)


def _misspelt_name(one: str, other: str) -> Likeness | None:
    one, other = letters_of_parts(one), letters_of_parts(other)
    longer = max(len(one), len(other))
    distance = _distance(one, other) if one and other else 0
    if not distance:
        return None
    why = (
        gettext("handle and name differ by one letter")
        if distance == 1
        else gettext("handle and name differ by two letters")
    )
    return Likeness(min(100 * (longer - distance) // longer, 85), why)


def letters_of_parts(parts: str) -> str:
    """Return the letters of sorted parts; "" if there are digits, because different numbers mean different people."""
    return "" if any(map(str.isdecimal, parts)) else parts.replace(" ", "")


def folded(key: str) -> tuple[str, str]:
    """Return the letters and digits of a text without accents and case, and its sorted parts if it has several."""
    if key.isascii():
        plain = key.translate(_ASCII_REST)
        parts = _ASCII_PART.findall(key) if len(plain) != len(key) else ()
    else:
        parts = words_of(key)
        plain = "".join(parts)
    return plain, " ".join(sorted(parts)) if len(parts) > 1 else ""


def _without_digits(plain: str) -> str:
    if plain.isascii():
        return plain.translate(_ASCII_DIGITS)
    return "".join(character for character in plain if not character.isdecimal())


MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))


def sums_of_letters(values: NDArray[np.uint64], lengths: NDArray[np.int64], shift: int) -> NDArray[np.uint64]:
    """
    Return running sums of values times powers, (n, width + 1), modulo 2**64, of letters moved `shift` places left.

    Equal runs of letters at equal positions have equal sums.
    """
    factors = powers(MULTIPLIER, values.shape[1])
    for _ in range(shift):
        factors = factors * INVERSE
    inside = np.arange(values.shape[1]) < lengths[:, None]
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=np.uint64)
    np.cumsum(np.where(inside, values * factors, np.uint64(0)), axis=1, out=sums[:, 1:])
    return sums


def powers(base: np.uint64, count: int) -> NDArray[np.uint64]:
    """Return the powers of a base from 0 on, modulo 2**64."""
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values scattered over 64 bits (the finalizer of splitmix64)."""
    values = values * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def keys_of_texts(
    texts: Sequence[str], salt: int, rows: NDArray[np.int32]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the keys of the texts that are not empty, and their rows; keys depend on the salt."""
    hashes = np.fromiter((hash(text) for text in texts), np.int64, len(texts)).view(np.uint64)
    filled = np.fromiter(map(bool, texts), bool, len(texts))
    return mixed(hashes[filled] + np.uint64(salt)), rows[filled]


#: The least number of letters of a handle that is found by pieces.
SHORTEST = 5


def known_texts(name: Forms) -> set[str]:
    """Return the texts by which a known name is found; `hashed` turns them into the stored keys."""
    letters, digits = name.letters, name.digits
    texts = {f"l{letters}|{digits}"} if letters or digits else {f"={name.looks}"} if name.looks else set()
    if name.looks and name.looks != letters:
        texts.add(f"={name.looks}")
    if digits and len(letters) >= SHORTEST:
        texts.add(f"n{letters}")
    texts.update(f"p{bag}" for bag in (name.parts, name.name) if bag)
    texts.update(_known_pieces(letters, digits))
    for crossed in _crossed(name):
        texts.update(_known_pieces(crossed, ""))
    return texts


def _crossed(name: Forms) -> set[str]:
    """Return the letters that may be another player's name or handle, apart from those of the handle as written."""
    own = {name.letters} if not name.digits else set()
    return {letters_of_parts(name.parts), letters_of_parts(name.name)} - own - {""}


def _known_pieces(letters: str, digits: str) -> Iterator[str]:
    if len(letters) >= SHORTEST:
        for chosen in _chosen(len(letters)):
            yield _piece_text(len(letters), digits, chosen, [letters[start:stop] for start, stop in chosen])


def asked_texts(name: Forms) -> set[str]:
    """Return the texts of all known names that may be similar to a new name."""
    letters, digits = name.letters, name.digits
    texts = {f"l{letters}|{digits}", f"l{name.looks}|", f"={name.looks}"}
    texts.add(f"l{letters}|" if digits else f"n{letters}")
    texts.update(f"p{bag}" for bag in (name.parts, name.name) if bag)
    texts.update(_texts_around(letters, digits))
    return texts


def crossed_texts(name: Forms) -> set[str]:
    """
    Return the texts of known players whose name may be the new handle, misspelt, or the other way round.

    Many players share a first name and so some of these texts; others are nearly always rarer.
    """
    return {text for letters in _crossed(name) for text in _texts_around(letters, "")}


def _texts_around(letters: str, digits: str) -> Iterator[str]:
    """Yield the texts of known letters that differ by as many edits as their length allows."""
    for length in range(max(SHORTEST - 1, len(letters) - 2), len(letters) + 3):
        edits = allowed_distance(max(length, len(letters)))
        if abs(length - len(letters)) <= edits:
            yield from _texts_near(letters, digits, length, edits)


def hashed(texts: Iterable[str]) -> NDArray[np.int64]:
    """Return a number for each text, the same in every process; different texts nearly always differ."""
    listed = list(texts)
    if not listed:
        return np.empty(0, dtype=np.int64)
    width = max(map(len, listed))
    codes = np.array(listed, dtype=f"U{width}").view(np.uint32).reshape(len(listed), width).astype(np.uint64)
    scattered = np.where(codes > 0, mixed(codes + np.uint64(1)), np.uint64(0))
    return mixed((scattered * powers(MULTIPLIER, width)).sum(axis=1, dtype=np.uint64)).view(np.int64)


def known_keys(names: Sequence[Forms]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of known names, and for each key the index of its name."""
    return _keys([known_texts(name) for name in names])


def asked_keys(names: Sequence[Forms]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys to look up for new names, and for each key the index of its name."""
    return _keys([asked_texts(name) for name in names])


def crossed_keys(names: Sequence[Forms]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of `crossed_texts` to look up for new names, and for each key the index of its name."""
    return _keys([crossed_texts(name) for name in names])


def _keys(texts: Sequence[set[str]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    owners = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    return hashed(text for each in texts for text in each), owners


def _texts_near(letters: str, digits: str, length: int, edits: int) -> Iterator[str]:
    """Yield the texts of known handles of this length within this number of edits."""
    tolerated = min(edits, allowed_distance(length))
    # If the known handle is short enough to allow fewer edits, the new one has one extra letter, which may be any of
    # its letters.
    left_out = {letters[:i] + letters[i + 1 :] for i in range(len(letters))}
    shorter = left_out if tolerated < edits else {letters}
    for each in shorter:
        if not tolerated:
            yield f"l{each}|{digits}"
        elif abs(len(each) - length) <= tolerated:
            yield from _texts_of_pieces(each, digits, length, tolerated)
            if tolerated == 2:
                yield from _texts_with_a_swap_undone(each, digits, length)
            if tolerated == 1 and len(each) == length:
                for i in range(length - 1):
                    yield f"l{each[:i]}{each[i + 1]}{each[i]}{each[i + 2 :]}|{digits}"


def _texts_of_pieces(letters: str, digits: str, length: int, edits: int) -> Iterator[str]:
    for chosen, shifts in _places(length, len(letters) - length, edits):
        yield _text_at(letters, digits, length, chosen, shifts)


def _texts_with_a_swap_undone(letters: str, digits: str, length: int) -> Iterator[str]:
    """
    Yield the texts of known handles of this length that differ by a swap across a border of two pieces and an edit.

    Such a swap changes two of four pieces, and the edit one or two others. After undoing the swap, two pieces are
    unchanged: the piece before the border, and another one.
    """
    if len(_chosen(length)[0]) == 1:
        return
    for chosen, shifts in _places(length, len(letters) - length, 1):
        for (_, border), by in zip(chosen, shifts, strict=True):
            at = border + by
            if border < length and 0 < at < len(letters):
                undone = f"{letters[: at - 1]}{letters[at]}{letters[at - 1]}{letters[at + 1 :]}"
                yield _text_at(undone, digits, length, chosen, shifts)


def _text_at(letters: str, digits: str, length: int, chosen: Pieces, shifts: tuple[int, ...]) -> str:
    pieces = [letters[start + by : stop + by] for (start, stop), by in zip(chosen, shifts, strict=True)]
    return _piece_text(length, digits, chosen, pieces)


def _piece_text(length: int, digits: str, chosen: Pieces, pieces: Sequence[str]) -> str:
    return f"{length}|{digits}|{','.join(str(start) for start, _ in chosen)}|{'|'.join(pieces)}"


@lru_cache(maxsize=1024)
def _chosen(length: int) -> tuple[Pieces, ...]:
    """Return the pieces, as (start, stop), by which handles of this length are found: one or two at a time."""
    count, at_once = (3, 2) if length < 8 else (4, 2) if length < 11 else (3, 1)
    # Single pieces are separated by a letter, so that no swap changes two of them.
    between = 1 if at_once == 1 else 0
    starts = [round(i * (length + between) / count) for i in range(count + 1)]
    pieces = [(start, following - between) for start, following in pairwise(starts)]
    return tuple(combinations(pieces, at_once))


@lru_cache(maxsize=4096)
def _places(length: int, surplus: int, edits: int) -> tuple[tuple[Pieces, tuple[int, ...]], ...]:
    """Return pieces of a handle, and the offsets at which each may occur in one with `surplus` more letters."""
    found = []
    for chosen in _chosen(length):
        for shifts in product(range(-edits, edits + 1), repeat=len(chosen)):
            steps = [0, *shifts, surplus]
            needed = sum(abs(after - before) for before, after in pairwise(steps))
            fits = all(
                start + by >= 0 and stop + by <= length + surplus
                for (start, stop), by in zip(chosen, shifts, strict=True)
            )
            if needed <= edits and fits:
                found.append((chosen, shifts))
    return tuple(found)
