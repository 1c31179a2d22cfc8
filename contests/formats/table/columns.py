"""What the columns of a table are called, in the words that organizers and judging systems use."""

from __future__ import annotations

import difflib
import re
import unicodedata

# Field -> the names that it goes by; compared without case, spaces, punctuation and accents.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "rank": (
        "rank", "ranks", "ranking", "place", "placing", "pos", "position", "#", "standing", "final rank", "rk", "rang",
        "platz", "platzierung", "classement", "puesto", "posición", "posizione", "miejsce",
        "место", "順位", "名次", "排名",
    ),
    "handle": (
        "handle", "user", "username", "user name", "user id", "player", "player name", "nick", "nickname", "login",
        "participant", "contestant", "competitor", "account", "who", "spieler", "teilnehmer", "benutzer",
        "benutzername", "joueur", "utilisateur", "jugador", "usuario", "участник", "ユーザ", "用户", "用户名",
    ),
    "score": (
        "score", "scores", "points", "point", "pts", "total", "total points", "total score", "sum", "punkte", "solved",
    ),
    "name": ("name", "full name", "real name", "display name"),
    "country": ("country", "country code", "nation", "nationality", "noc", "flag", "land", "pays", "país"),
    "team": ("team", "team name", "group", "squad", "mannschaft"),
    "status": ("status", "state", "participation"),
    "penalty": ("penalty", "penalties", "time", "total time", "penalty time"),
}  # fmt: skip
FIELDS = tuple(SYNONYMS)
# What can say who played; the first one that a table has does.
WHO = ("handle", "name", "team")
# The column that an annotated file has; its texts are for people, and reading leaves it out.
REMARKS = "remarks"


def field_of(header: str) -> str | None:
    """Return the field that a column of this name holds, None if the name is not known."""
    return _FIELD_OF.get(_simple(header))


def is_remarks(header: str) -> bool:
    """Whether the column is that of the remarks; its header may go on with those on the whole file."""
    return header.strip().casefold().partition(":")[0] == REMARKS


def near_fields(header: str) -> list[str]:
    """Return the fields that a column whose name is not known may mean, the likeliest first."""
    near = difflib.get_close_matches(_simple(header[:40]), _FIELD_OF, n=3, cutoff=0.7)
    return list(dict.fromkeys(_FIELD_OF[name] for name in near))


def suggestion(header: str) -> str:
    """Say what to do with a column whose name is not known."""
    fields = near_fields(header)
    hint = f"did you mean {' or '.join(fields)}? " if fields else ""
    return f"{hint}rename it to one of {', '.join(FIELDS)}, or delete it"


def _simple(header: str) -> str:
    plain = unicodedata.normalize("NFKD", header.casefold())
    return re.sub(r"[\W_]+", "", plain) or plain.strip()


_FIELD_OF = {_simple(name): field for field, names in SYNONYMS.items() for name in names}
