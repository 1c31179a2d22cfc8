"""The players, options and contests that the addresses of matchmaking name, with the problems in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.utils.dateparse import parse_date
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.models import Contest
from contests.queries.visibility import visible_players
from contests.whole_numbers import number_or_zero
from ratings.queries.named_players import NamedPlayers, named_players, number_of_names
from ratings.queries.rounds import MOST_LISTED, players_of
from ratings.queries.search import nearest_players
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.params import cut, series_at, text_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models import Player
    from contests.models.contest import ContestQuerySet
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath

#: Longer texts are not read; 200 handles of the greatest length are shorter.
MOST_TEXT = 30_000
#: The longest list, in encoded characters, that the form puts into its address; servers accept about 8,000 in all.
_LONGEST_QUERY = 6_000
#: The most names that are read from a list. A handle may contain commas, so there can be more names than players.
_MOST_NAMES = 4 * MOST_LISTED
#: Unknown handles that get suggestions, which take a few queries each, and suggestions for each.
_SUGGESTED_FOR, _SUGGESTIONS = 8, 3
#: The players with the same real name that the page lists.
_NAMESAKES = 8
#: The newest contests in the form.
CONTESTS_OFFERED = 12


@dataclass(slots=True)
class Answer:
    """The content of a page: the context, the problems in words and the status."""

    context: dict[str, Any]
    problems: list[str] = field(default_factory=list)
    status: int = 200

    def refuse(self, problem: str, status: int = 400) -> None:
        """Add a problem; of several problems, the one with the greatest status decides the response's."""
        self.problems.append(problem)
        self.status = max(self.status, status)


def opened(request: HttpRequest, at: SeriesPath, here: str) -> tuple[SeriesSnapshot, Answer]:
    """Return the snapshot of the series of an address, and the beginning of an answer about it."""
    series = series_at(request, at)
    snapshot = snapshot_of(series)
    answer = Answer({"series": series, "snapshot": snapshot, "waiting": wait_state(series.pk)[0], "page": here})
    answer.context["problems"] = answer.problems
    return snapshot, answer


def texts_of(request: HttpRequest, name: str) -> list[str]:
    """Return the values of a parameter that may be repeated, without NUL, cut to the length that is read."""
    return [text.replace("\x00", "")[: MOST_TEXT + 1] for text in request.GET.getlist(name)[: MOST_LISTED + 1]]


def read_players(request: HttpRequest, snapshot: SeriesSnapshot, texts: list[str]) -> NamedPlayers:
    """Return the players whom some texts name, among those whom the visitor may see."""
    community = snapshot.series.community_id
    return named_players(texts, visible_players(request.user), community, request.user, with_real_names=True)


@dataclass(frozen=True, slots=True)
class UnknownText:
    """A text that does not name one player; `players` are similar ones, or all who share it as their real name."""

    text: str
    players: list[Player]
    is_shared: bool


def suggestions(request: HttpRequest, snapshot: SeriesSnapshot, *lists: NamedPlayers) -> list[UnknownText]:
    """Return the texts of these lists that do not name one player, with the players whom they may mean."""
    players = visible_players(request.user).filter(community=snapshot.series.community_id)
    unknown = [(text, named.namesakes.get(text, [])) for named in lists for text in named.unknown]
    found = []
    for number, (text, namesakes) in enumerate(unknown):
        similar = nearest_players(text, players, _SUGGESTIONS) if number < _SUGGESTED_FOR and not namesakes else []
        found.append(UnknownText(cut(text), namesakes[:_NAMESAKES] or similar, bool(namesakes)))
    return found


@dataclass(frozen=True, slots=True)
class PlayerList:
    """
    A list of players for a round or for teams.

    named
        The players of the text and of the contest, each once.
    contest
        The contest or event whose players are added; None if they are in the text.
    text
        The text for the form.
    is_empty
        Whether nothing was entered.
    """

    named: NamedPlayers
    contest: Contest | None
    text: str
    is_empty: bool


def read_list(request: HttpRequest, snapshot: SeriesSnapshot, answer: Answer) -> PlayerList:
    """Return the list of players in `players` and `event`; the answer gets its problems and what the form shows."""
    texts = texts_of(request, "players")
    text = "\n".join(texts)
    contest = read_contest(request, snapshot, "event", answer)
    if len(text) > MOST_TEXT or sum(map(number_of_names, texts)) > _MOST_NAMES:
        named = NamedPlayers()
        _refuse_length(answer)
    else:
        named = read_players(request, snapshot, texts)
    others = players_of(contest) if contest is not None else []
    everyone = list({player.pk: player for player in [*named.players, *others]}.values())
    named = NamedPlayers(everyone, named.times, named.unknown, named.namesakes)
    if len(everyone) + len(named.unknown) > MOST_LISTED:
        _refuse_length(answer)
    is_empty = contest is None and not text.strip()
    if not is_empty and not answer.problems and len(everyone) < 2:
        answer.refuse(_("Enter at least two players."))
    if contest is not None and not answer.problems:
        as_text = "\n".join([*(player.handle for player in everyone), *named.unknown])
        # List them in the form, so that single players can be removed, unless the address would become too long.
        if len(quote(as_text)) <= _LONGEST_QUERY:
            text, contest = as_text, None
    listed = PlayerList(named, contest, text[:MOST_TEXT], is_empty)
    answer.context |= {
        "list": listed,
        "contests": _contests(snapshot)[:CONTESTS_OFFERED],
        "unknown": suggestions(request, snapshot, named),
        "most": MOST_LISTED,
    }
    return listed


def _refuse_length(answer: Answer) -> None:
    problem = _("This list is too long: enter at most %(most)s players.")
    problem %= {"most": number_format(MOST_LISTED)}
    if problem not in answer.problems:
        answer.refuse(problem)


def _contests(snapshot: SeriesSnapshot) -> ContestQuerySet:
    """Return the contests and events of the series with final results, newest first, without the games of events."""
    return Contest.objects.finalized().filter(series=snapshot.series, event=None).newest_first()


def read_contest(request: HttpRequest, snapshot: SeriesSnapshot, name: str, answer: Answer) -> Contest | None:
    """Return the contest or event of the series that a parameter names by its id."""
    text = text_of(request, name)
    if not text:
        return None
    contest = _contests(snapshot).filter(pk=number_or_zero(text)).first()
    if contest is None:
        answer.refuse(_("There is no such contest or event in this series. Choose another one."), 404)
    return contest


def read_day(request: HttpRequest, name: str, answer: Answer) -> datetime | None:
    """Return the beginning of the day in a parameter, in UTC."""
    text = text_of(request, name)
    if not text:
        return None
    try:
        day = parse_date(text)
    except ValueError:  # such as 30 February
        day = None
    if day is None:
        answer.refuse(_("Enter a date as year-month-day, such as 2026-05-31, not “%s”.") % cut(text))
        return None
    return datetime.combine(day, time.min, tzinfo=UTC)
