"""
Stored texts in the reader's language: subjects of audit entries, causes and errors of runs, and Podium's own reasons.

All are stored in English, those of audit entries under a signature. This module knows every shape that services write,
and shows texts of other shapes as they are.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from contests.queries.amendments import WORDS
from contests.wording import day_in_words, grouped, in_a_row, stored_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.utils.functional import Promise

    from contests.models import AuditEntry

#: The word between the two names in a subject, by action.
_BETWEEN = {
    "game.add": (" to ", pgettext_lazy("subject", "%(first)s to %(second)s")),
    "player.rename": (" to ", pgettext_lazy("renamed", "%(first)s to %(second)s")),
    "player.alias": (" to ", pgettext_lazy("subject", "%(first)s to %(second)s")),
    "claim.move": (" to ", pgettext_lazy("subject", "%(first)s to %(second)s")),
    "player.unalias": (" from ", pgettext_lazy("subject", "%(first)s from %(second)s")),
    "player.split": (" from ", pgettext_lazy("subject", "%(first)s from %(second)s")),
    "player.merge": (" into ", pgettext_lazy("subject", "%(first)s into %(second)s")),
}


def subject_in_words(entry: AuditEntry) -> str:
    """
    Return the object of a change; a series, a contest or a community by its name.

    Reads the series, the contest and the community of the entry.
    """
    kind = entry.action.partition(".")[0]
    if kind in ("community", "member"):
        return _of_community(entry, kind)
    if kind == "report":
        return _with_day(entry.subject)
    if entry.action in _BETWEEN:
        between, words = _BETWEEN[entry.action]
        first, found, second = entry.subject.partition(between)
        # If the word occurs twice, one of the two belongs to a name, and it may be either.
        return str(words) % {"first": first, "second": second} if found and between not in second else entry.subject
    return _of_contest(entry, kind) or _of_series(entry) or entry.subject


def _of_community(entry: AuditEntry, kind: str) -> str:
    if entry.community is None:
        return entry.subject
    words = f"community {entry.community.slug}"
    if entry.subject == words:
        return entry.community.name
    # Older entries name the community after the member.
    return entry.subject.removesuffix(f" in {words}") if kind == "member" else entry.subject


def _of_contest(entry: AuditEntry, kind: str) -> str:
    """Return the name of a contest, or a row with the name of its contest; empty for other subjects."""
    contest = entry.contest
    if kind == "standing" and contest is not None:
        handle = entry.subject.removesuffix(f" in {contest.slug}")
        words = pgettext("subject", "%(handle)s in %(contest)s") % {"handle": handle, "contest": contest.name}
        return words if handle != entry.subject else ""
    if kind not in ("contest", "event") or not entry.subject.startswith("contest "):
        return ""
    slug = entry.subject.removeprefix("contest ")
    return contest.name if contest is not None and contest.slug == slug else slug


def _of_series(entry: AuditEntry) -> str:
    """Return the name of a series, or what the entry names with its series; empty for other subjects."""
    series = entry.series
    if series is None:
        return ""
    if entry.subject == f"series {series.slug}" or (entry.action, entry.subject) == ("series.try_again", series.slug):
        return series.name
    if entry.action == "series.import" and entry.subject.endswith(f" into {series.slug}"):
        file = entry.subject.removesuffix(f" into {series.slug}")
        return pgettext("subject", "%(file)s into %(series)s") % {"file": file, "series": series.name}
    if entry.action.startswith("run.") and (found := re.fullmatch(r"run (\d+) of .+", entry.subject)):
        return pgettext("subject", "run %(number)s of %(series)s") % {"number": found[1], "series": series.name}
    return ""


def _with_day(subject: str) -> str:
    """Return a reported game, whose subject ends with its day."""
    game, _, day = subject.rpartition(", ")
    try:
        return f"{game}, {day_in_words(date.fromisoformat(day))}"
    except ValueError:
        return subject


def cause_in_words(cause: str) -> str:
    """Return the cause of a run: up to three changes of results, joined by semicolons, and the number of others."""
    parts: list[str] = []
    for part in cause.split("; "):
        words = _change_in_words(part)
        if words is not None or not parts:
            parts.append(part if words is None else words)
        else:
            # The semicolon belongs to the reason of the previous change.
            parts[-1] += f"; {part}"
    return "; ".join(parts)


def reason_in_words(reason: str) -> str:
    """Return the reason of a change: one of Podium's own, that of an undone change, or what someone has entered."""
    if reason in REASONS:
        return str(REASONS[reason])
    found = re.fullmatch(_ROLLED_BACK, reason, re.DOTALL)
    return str(_ROLLED_BACK_WORDS) % found.groupdict() if found else reason


def error_in_words(error: str) -> str:
    """Return the error of a run."""
    for shape, words in ERRORS:
        if found := re.fullmatch(shape, error):
            return str(words) % found.groupdict()
    return error


def _change_in_words(text: str) -> str | None:
    """Return a change of results in the reader's language; None for a text of an unknown shape."""
    for shape, words in _CHANGES:
        found = re.fullmatch(shape, text, re.DOTALL)
        if found:
            values = found.groupdict()
            change = words(values) if callable(words) else str(words) % values
            return change if change is None else re.sub(f"(?<=: ){_ROLLED_BACK}$", _undone, change, flags=re.DOTALL)
    return None


def _undone(found: re.Match[str]) -> str:
    return reason_in_words(found[0])


def _imported(values: dict[str, str]) -> str:
    number = int(values["number"])
    words = ngettext("Imported %(number)s contest from %(file)s", "Imported %(number)s contests from %(file)s", number)
    return words % {"number": grouped(number), "file": values["file"]}


def _undone_together(values: dict[str, str]) -> str:
    count = int(values["count"])
    words = ngettext(
        "Rolled back to run %(number)s, undoing %(count)s change: %(reason)s",
        "Rolled back to run %(number)s, undoing %(count)s changes: %(reason)s",
        count,
    )
    return words % {**values, "count": grouped(count)}


def _more(values: dict[str, str]) -> str:
    number = int(values["number"])
    return ngettext("and %(number)s more change", "and %(number)s more changes", number) % {"number": grouped(number)}


def _corrected(values: dict[str, str]) -> str:
    return pgettext("cause", "Corrected %(who)s in %(where)s") % {**values, "who": _listed(values["who"])}


def _listed(handles: str) -> str:
    """Return a stored list of handles: "a", "a and b", "a, b and c", or "a, b, c and 2 more"."""
    if found := re.fullmatch(r"(.+) and (\d+) more", handles):
        return gettext("%(first)s and %(number)s more") % {"first": found[1], "number": found[2]}
    # Otherwise, one of these words is part of a handle.
    return in_a_row([*handles.partition(" and ")[::2]]) if handles.count(" and ") == 1 else handles


def _changed(values: dict[str, str]) -> str | None:
    with stored_language():
        fields = {str(words): words for words in WORDS.values()}
    named = re.split(r", | and ", values["what"])
    if not all(name in fields for name in named):
        return None
    return pgettext("cause", "Changed %(name)s (%(what)s): %(reason)s") % {
        **values,
        "what": in_a_row([str(fields[name]) for name in named]),
    }


#: The shapes of errors of runs, with their words.
ERRORS = (
    (r"The worker stopped before this run was published\.",
     gettext_lazy("The worker stopped before this run was published.")),
    (r"Run (?P<newest>\d+) was published in the meantime, but this run builds on run (?P<base>\d+)\.",
     gettext_lazy("Run %(newest)s was published in the meantime, but this run builds on run %(base)s.")),
    (r"The server’s disk is full\. Tell the site administrators, and try again when there is space\.",
     gettext_lazy("The server’s disk is full. Tell the site administrators, and try again when there is space.")),
    (r"An unexpected error occurred on the server\. Site administrators can find it in the server’s log as error "
     r"(?P<number>[0-9a-f]+)\.",
     gettext_lazy("An unexpected error occurred on the server. Site administrators can find it in the server’s log as "
                  "error %(number)s.")),
)  # fmt: skip
#: The reasons that services write.
REASONS = {"The two players are one person.": gettext_lazy("The two players are one person.")}
_ROLLED_BACK = r"Rolled back to run (?P<number>\d+): (?P<reason>.+)"
_ROLLED_BACK_WORDS = pgettext_lazy("cause", "Rolled back to run %(number)s: %(reason)s")
#: The shapes of changes, with the words or the function that writes them. If a name can
#: contain the separator, everything after the first noun is one value, because most languages need no other order.
_CHANGES: tuple[tuple[str, Promise | Callable[[dict[str, str]], str | None]], ...] = (
    (r"Demo data", gettext_lazy("Demo data")),
    (r"All contests rated again", gettext_lazy("All contests rated again")),
    (r"New version of the rating engine", gettext_lazy("New version of the rating engine")),
    (r"and (?P<number>\d+) more", _more),
    (r"Imported (?P<number>\d+) contests? from (?P<file>.+)", _imported),
    (r"Finalized (?P<what>.+)", pgettext_lazy("cause", "Finalized %(what)s")),
    (r"Deleted (?P<what>.+)", pgettext_lazy("cause", "Deleted %(what)s")),
    (r"Restored (?P<what>.+)", pgettext_lazy("cause", "Restored %(what)s")),
    (r"Added (?P<who>.+?) to (?P<where>.+: .+)", pgettext_lazy("cause", "Added %(who)s to %(where)s")),
    (r"Added (?P<what>.+)", pgettext_lazy("cause", "Added %(what)s")),
    (r"Removed (?P<who>.+?) from (?P<where>.+)", pgettext_lazy("cause", "Removed %(who)s from %(where)s")),
    (r"Moved a result from (?P<first>.+?) to (?P<second>.+?) in (?P<where>.+)",
     pgettext_lazy("cause", "Moved a result from %(first)s to %(second)s in %(where)s")),
    (r"Corrected (?P<who>.+?) in (?P<where>.+)", _corrected),
    (r"Changed (?P<name>.+?) \((?P<what>[^()]+)\): (?P<reason>.*)", _changed),
    (r"Merged (?P<first>.+?) into (?P<second>.+)", pgettext_lazy("cause", "Merged %(first)s into %(second)s")),
    (r"Split (?P<first>.+?) from (?P<second>.+)", pgettext_lazy("cause", "Split %(first)s from %(second)s")),
    (r"New rating scheme: (?P<what>.+)", pgettext_lazy("cause", "New rating scheme: %(what)s")),
    (r"Ended the roll-back to run (?P<number>\d+)", pgettext_lazy("cause", "Ended the roll-back to run %(number)s")),
    (r"Rolled back to run (?P<number>\d+), undoing (?P<count>\d+) changes: (?P<reason>.+)", _undone_together),
    (_ROLLED_BACK, _ROLLED_BACK_WORDS),
)  # fmt: skip
