"""
Rights by kind of page, role and visibility: the rules of docs/decisions/0017-communities.md as a table.

Nothing here asks the code. Visitors get 404 for a page that they must not know of, and 403 for one that they may read
but not use. A page for people who have signed in sends anonymous visitors to the sign-in.
"""

from __future__ import annotations

#: The series of the tests: public, in an unlisted or a private community, or private in a public community.
STATES = ("public", "unlisted", "private", "private series")
#: People by their relation to the series. A "neighbour" organizes another series of the same community, a "stranger"
#: owns another community, a "player" has the account of a player but no role, and the "deactivated" account was an
#: owner's.
ROLES = (
    "owner", "staff", "organizer", "series organizer", "viewer", "neighbour", "stranger", "player", "deactivated",
    "anonymous",
)  # fmt: skip
#: Roles that let people read what is private, and change the series.
READERS = ("owner", "staff", "organizer", "series organizer", "viewer")
ORGANIZERS = ("series organizer", "organizer", "owner", "staff")
OUTSIDERS = tuple(role for role in ROLES if role not in READERS)
#: Programs that read over REST with a token of the community or of another one, and the people who may read the same.
#: It makes no difference who created the token, nor what has become of that person (docs/decisions/0018-api-tokens.md).
PROGRAMS = {"owner's program": "viewer", "viewer's program": "viewer", "stranger's program": "stranger"}
#: Kinds of REST operations, and the kinds of pages that show people as much as the operations show programs.
_AS_PAGES = {"programs": "readers", "community programs": "community", "open lists": "lists"}


def may_read_series(role: str, state: str) -> bool:
    """Return whether someone may read the series and its players, knowing the address."""
    return state in ("public", "unlisted") or role in READERS


def may_know_community(role: str, state: str) -> bool:
    """Return whether someone may read the page of the community; people who organize one of its series may."""
    return state != "private" or role in (*READERS, "neighbour")


def is_listed_for(role: str, state: str) -> bool:
    """Return whether lists and searches of the whole site show the series to someone."""
    return state == "public" or role in READERS


def may_name_series(kind: str, role: str, state: str) -> bool:
    """Return whether a page of a kind may name the series and its contests to someone whom it lets in."""
    if role in PROGRAMS:
        return may_name_series(_AS_PAGES.get(kind, kind), PROGRAMS[role], state)
    if kind == "open lists":
        return state == "public"
    if kind == "own lists":
        return role in ORGANIZERS
    return is_listed_for(role, state) if kind == "lists" else may_read_series(role, state)


def refusal(kind: str, role: str, state: str) -> int | None:
    """
    Return the status with which a page refuses someone; None if it lets them in.

    kind
        "everyone"; "parts" of pages, which leave out what is hidden; "lists" of the whole site, "open lists" that show
        everyone the same, and "own lists" of what people organize; pages of the "community"; "readers" of the series;
        "programs" and "community programs" such as feeds and the REST API, which show everyone public data only;
        maps of what is "listed"; "accounts"; "organizers" of the series, those of the whole community ("managers",
        and for pages about a player of the series "player managers"), its "owners"; "staff"; pages for staff that are
        "hidden" from everyone else; pages for "players" who read the series and have an account, for the "opponent" of
        a reported game, and for the account of a player ("own player").
    """
    if role in PROGRAMS:
        return refusal(_AS_PAGES.get(kind, kind), PROGRAMS[role], state)
    if kind in ("everyone", "parts", "lists", "open lists"):
        return None
    if kind in ("programs", "community programs", "listed"):
        hidden = {"programs": ("private", "private series"), "community programs": ("private",)}
        return 404 if state in hidden.get(kind, STATES[1:]) else None
    if kind == "community":
        return None if may_know_community(role, state) else 404
    if kind == "readers":
        return None if may_read_series(role, state) else 404
    if kind == "hidden":
        return None if role == "staff" else 404
    if role in ("anonymous", "deactivated") or (kind == "staff" and role != "staff"):
        return 302
    if kind in ("accounts", "staff", "own lists"):
        return None
    if kind in ("players", "opponent", "own player"):
        return _refusal_of_players(kind, role, state)
    managers = ("organizer", "owner", "staff")
    allowed = {
        "organizers": ORGANIZERS, "managers": managers, "player managers": managers, "owners": ("owner", "staff"),
    }  # fmt: skip
    if role in allowed[kind]:
        return None
    is_known = (
        may_read_series(role, state) if kind in ("organizers", "player managers") else may_know_community(role, state)
    )
    return 403 if is_known else 404


def has_least_rights(kind: str, role: str, state: str) -> bool:
    """Return whether a page lets someone in, but no role with fewer rights."""
    lower = ROLES[ROLES.index(role) + 1 :]
    return refusal(kind, role, state) is None and all(refusal(kind, each, state) is not None for each in lower)


def _refusal_of_players(kind: str, role: str, state: str) -> int | None:
    """A claim gives no right to read, so a player of a private series finds nothing of it."""
    if kind == "own player":
        return None if role == "player" else 404
    if not may_read_series(role, state):
        return 404
    return None if role == "player" else 403 if kind == "players" else 404
