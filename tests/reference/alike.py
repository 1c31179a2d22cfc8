"""Finding players with similar names by comparing every pair, letter by letter."""

from __future__ import annotations

import unicodedata

LOOKS = dict(zip("01345789lаеорсухікмтвн", "oieastbgiaeopcyxikmtbh", strict=True))
STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}


def parts_of(text: str) -> list[str]:
    """Letters and digits without case and accents, split at all other characters."""
    text = unicodedata.normalize("NFKD", text.casefold()).casefold()
    shown = ""
    for character in text:
        if "\u0300" <= character <= "\u036f":
            continue
        character = STROKES.get(character, character)
        shown += character if unicodedata.category(character[0])[0] in "LNM" else " "
    return unicodedata.normalize("NFC", shown).split()


def edits(one: str, other: str) -> int:
    """The fewest edits: letters added, left out, changed, or swapped with a neighbour (optimal string alignment)."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            changed = table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, changed)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def similarity(one: tuple[str, str, str], other: tuple[str, str, str]) -> int:
    """How alike two (handle, name, country) are, by the table in `contests.matching.similarity`; 0 for not at all."""
    names = [sorted(parts_of(name)) if len(parts_of(name)) > 1 else [] for _, name, _ in (one, other)]
    countries = [country for _, _, country in (one, other)]
    same_name = bool(names[0]) and names[0] == names[1]
    same_country = bool(countries[0]) and countries[0] == countries[1]
    countries_differ = all(countries) and not same_country
    by_handle = of_handles(one[0], other[0])
    by_name = 0
    if not countries_differ:
        bags = [sorted(parts_of(handle)) if len(parts_of(handle)) > 1 else [] for handle, _, _ in (one, other)]
        if same_name:
            by_name = 90 if same_country else 75
        elif (bags[0] and bags[0] == names[1]) or (bags[1] and bags[1] == names[0]):
            by_name = 85
        else:
            by_name = max(misspelt_name(bags[0], names[1]), misspelt_name(bags[1], names[0]))
    if by_name > by_handle or not by_handle:
        return by_name
    total = by_handle
    if same_name:
        total += 5
    elif all(names) and not set(names[0]) & set(names[1]):
        total -= 20
    total += 2 if same_country else -15 if countries_differ else 0
    return min(total, 99)


def misspelt_name(handle: list[str], name: list[str]) -> int:
    """How alike the sorted parts of a handle and of another player's name are; 0 if one has digits."""
    one, other = "".join(handle), "".join(name)
    if not one or not other or any(c.isdecimal() for c in one + other):
        return 0
    n, distance = max(len(one), len(other)), edits(one, other)
    return min(85, 100 * (n - distance) // n) if 0 < distance <= (2 if n >= 8 else 1 if n >= 5 else 0) else 0


def of_handles(one: str, other: str) -> int:
    """How alike two handles are."""
    parts = parts_of(one), parts_of(other)
    plain = ["".join(each) for each in parts]
    letters = ["".join(c for c in each if not c.isdecimal()) for each in plain]
    digits = ["".join(c for c in each if c.isdecimal()) for each in plain]
    n = max(map(len, letters))
    if plain[0] and plain[0] == plain[1]:
        return 97 if n >= 5 else 88
    looks = ["".join(LOOKS.get(c, c) for c in each) for each in plain]
    if n >= 4 and looks[0] == looks[1]:
        return 92
    if len(parts[0]) > 1 and sorted(parts[0]) == sorted(parts[1]):
        return 90
    if digits[0] != digits[1]:
        return 70 if letters[0] == letters[1] and n >= 5 and not all(digits) else 0
    distance = edits(*letters)
    if not 0 < distance <= (2 if n >= 8 else 1 if n >= 5 else 0):
        return 0
    return 100 * (n - distance) // n - (8 if letters[0][:1] != letters[1][:1] else 0)
