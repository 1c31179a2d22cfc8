"""Write the games of an event, recognize games that a series already has, and finalize and delete them with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.utils.translation import gettext

from contests.bulk import chunks, insert_rows, insert_variants, update_rows
from contests.errors import ContestError
from contests.formats.games.building import UNDATED, name_of_game
from contests.models import AuditEntry, Contest, ContestState, Player, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from contests.formats import ParsedContest
    from contests.models import Series, Upload
    from contests.services.standings import PlayerRegister

    #: The end of a game, and the players of each rank.
    Signature = tuple[datetime, frozenset[tuple[int | None, frozenset[int]]]]


_COLUMNS = ("contest_id", "player_id", "place", "rank", "score", "penalty", "team", "status", "side", "handicap")
_CONTEST_COLUMNS = (
    "event_id", "slug", "name", "url", "ends_at", "sequence", "weight", "is_rated", "is_walkover", "round", "has_teams",
    "has_handicaps", "standing_count", "content_hash", "finalized_at",
)  # fmt: skip
#: Columns that `refresh_events` sets, and the least number of events for which it uses a temporary table; for fewer,
#: that would cost more than it saves.
_COUNTED = ("game_count", "standing_count", "starts_at", "ends_at")
_MANY_EVENTS = 5
#: Slugs whose successors are looked up at a time.
_PREFIXES = 50
#: Rows of a game; a contest with more is not a game, and is not compared with games.
MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class KnownGame:
    """
    A game of a file that the series already has.

    contest_id
        The contest of the game in the series.
    is_changed
        Whether that contest now has another result, because it was corrected.
    """

    contest_id: int
    is_changed: bool = False


def known_games(
    series_id: int, games: Sequence[ParsedContest], ids: Mapping[str, int], key_of: Any, *, besides: int | None = None
) -> dict[int, KnownGame]:
    """
    Return the games that the series already has, by their position among the given ones, with three queries.

    A game is known by its id or by its end, players and result. If both rounds are given and differ, they are different
    games. If the file contains a game twice, and the series has it once, only one of the two is known. The id of a game
    without a date says nothing about other events: the same players can have the same result there.

    ids, key_of
        The known players by the key of their handle, and the function that returns the key.
    besides
        The event whose own games do not count, because the given ones replace them. Those without a date end with it.
    """
    ends = ends_of(games, besides)
    moments = [end for end in ends if end is not None]
    existing = Contest.objects.existing().filter(series=series_id, is_event=False, standing_count__lte=MOST_ROWS)
    if moments:
        existing = existing.filter(ends_at__range=(min(moments), max(moments)))
    if besides is not None:
        existing = existing.exclude(event=besides)
    stored = signatures_of(existing)
    slugs = dict(existing.values_list("slug", "pk"))
    found: dict[int, KnownGame] = {}
    taken: set[int] = set()
    signatures = [_signature(game, end, ids, key_of) for game, end in zip(games, ends, strict=True)]
    for i, game in enumerate(games):
        pk = slugs.get(game.key)
        if pk is None:
            continue
        signature = stored[pk][0] if pk in stored else None
        if game.key.startswith(UNDATED) and (signature is None or signature[0] != ends[i]):
            continue
        found[i] = KnownGame(pk, is_changed=signature != signatures[i])
        taken.add(pk)
    by_signature: dict[Signature, list[int]] = {}
    for pk, (signature, _) in stored.items():
        if pk not in taken:
            by_signature.setdefault(signature, []).append(pk)
    for i, game in enumerate(games):
        wanted = signatures[i]
        if i in found or wanted is None or game.game is None:
            continue
        same = [pk for pk in by_signature.get(wanted, ()) if _rounds_agree(game.game.round, stored[pk][1])]
        if same:
            by_signature[wanted].remove(same[0])
            found[i] = KnownGame(same[0])
    return found


def _rounds_agree(one: str, other: str) -> bool:
    return not one or not other or one.casefold() == other.casefold()


def signatures_of(contests: Any) -> dict[int, tuple[Signature, str]]:
    """Return the signature and the round of contests, by id, with one query."""
    rows = Standing.objects.filter(contest__in=contests).values_list(
        "contest_id", "contest__ends_at", "contest__round", "rank", "player_id"
    )
    parts: dict[int, tuple[datetime, str, dict[int | None, set[int]]]] = {}
    for pk, ends_at, round_, rank, player in rows.iterator(chunk_size=10_000):
        parts.setdefault(pk, (ends_at, round_, {}))[2].setdefault(rank, set()).add(player)
    return {pk: ((ends_at, _frozen(ranks)), round_) for pk, (ends_at, round_, ranks) in parts.items()}


def ends_of(games: Sequence[ParsedContest], event_id: int | None) -> list[datetime | None]:
    """Return the end of each game; that of the event for games without a date."""
    event_end = None
    if event_id is not None and any(game.ends_at is None for game in games):
        event_end = Contest.objects.filter(pk=event_id).values_list("ends_at", flat=True).first()
    return [game.ends_at or event_end for game in games]


def _signature(game: ParsedContest, ends_at: datetime | None, ids: Mapping[str, int], key_of: Any) -> Signature | None:
    """Return the signature of a game of a file, None if a player of it is new or the end is unknown."""
    ranks: dict[int | None, set[int]] = {}
    for row, rank in zip(game.standings, game.ranks, strict=True):
        player = ids.get(key_of(row.handle))
        if player is None or ends_at is None:
            return None
        ranks.setdefault(rank, set()).add(player)
    return (ends_at, _frozen(ranks)) if ends_at is not None else None


def _frozen(ranks: Mapping[int | None, set[int]]) -> frozenset[tuple[int | None, frozenset[int]]]:
    return frozenset((rank, frozenset(players)) for rank, players in ranks.items())


def insert_games(
    event: Contest,
    games: Sequence[ParsedContest],
    register: PlayerRegister,
    *,
    upload: Upload | None = None,
    finalized_at: datetime | None = None,
) -> datetime | None:
    """
    Insert games into an event, in their order, in the state of the event; create new players.

    Games without a date take the end of the event. Returns the end of the earliest game that is rated, None if none
    is.

    finalized_at
        When games of a finalized event were finalized; by default, with it.

    Raises ContestError, before anything is written, if two names in a game mean the same player.
    """
    return insert_games_of([(event, games)], register, upload=upload, finalized_at=finalized_at)


def insert_games_of(
    events: Sequence[tuple[Contest, Sequence[ParsedContest]]],
    register: PlayerRegister,
    *,
    upload: Upload | None = None,
    finalized_at: datetime | None = None,
) -> datetime | None:
    """Insert the games of several events of a series in the same state together, as `insert_games` does."""
    placed = [(event, game) for event, games in events for game in games]
    if not placed:
        return None
    ids = register.find_or_create(row for _, game in placed for row in game.standings)
    _refuse_one_player_twice([game for _, game in placed], ids, register)
    first = placed[0][0]
    template = Contest(series=first.series, state=first.state, upload=upload)
    names = _names(placed, ids, register)
    rows = _new_contests(first.series, placed, names, register, finalized_at)
    try:
        with transaction.atomic():
            keys = insert_variants(template, _CONTEST_COLUMNS, rows)
    except IntegrityError as error:
        raise ContestError(
            gettext("Series “%(slug)s” already has one of the games of “%(name)s”. Upload the file again.")
            % {"slug": first.series.slug, "name": first.name}
        ) from error
    insert_rows(
        Standing,
        _COLUMNS,
        (
            (
                key, ids[register.key(row.handle)], row.place, rank, row.score, row.penalty, row.team,
                row.status, side, row.handicap,
            )
            for key, (_, game) in zip(keys, placed, strict=True)
            for row, rank, side in zip(game.standings, game.ranks, _sides(game), strict=True)
        ),
    )  # fmt: skip
    is_rated, ends_at = _CONTEST_COLUMNS.index("is_rated"), _CONTEST_COLUMNS.index("ends_at")
    return min((row[ends_at] for row in rows if row[is_rated]), default=None)


def _names(
    placed: Sequence[tuple[Contest, ParsedContest]], ids: Mapping[str, int], register: PlayerRegister
) -> list[str]:
    """Return the name of each game with the handles of its players, which a file may spell in other ways."""
    players = list({ids[register.key(row.handle)] for _, game in placed for row in game.standings})
    handles: dict[int, str] = {}
    for part in chunks(players):
        handles.update(Player.objects.filter(pk__in=part).values_list("pk", "handle"))
    names = []
    for _, game in placed:
        sides: dict[object, list[str]] = {}
        known = [handles[ids[register.key(row.handle)]] for row in game.standings]
        for i, (row, handle) in enumerate(zip(game.standings, known, strict=True)):
            sides.setdefault(row.team or i, []).append(handle)
        is_spelt_otherwise = known != [row.handle for row in game.standings]
        names.append(name_of_game(list(sides.values())) if is_spelt_otherwise else game.name)
    return names


def _sides(game: ParsedContest) -> Sequence[str]:
    sides = game.game.sides if game.game is not None else ()
    return sides or [""] * len(game.standings)


def _refuse_one_player_twice(games: Sequence[ParsedContest], ids: Mapping[str, int], register: PlayerRegister) -> None:
    for game in games:
        players = [ids[register.key(row.handle)] for row in game.standings]
        if len(set(players)) < len(players):
            where = (
                gettext(" (line %(row)s)") % {"row": game.game.row} if game.game is not None and game.game.row else ""
            )
            raise ContestError(
                gettext(
                    "Two names in the game “%(name)s”%(where)s refer to the same player. Choose another "
                    "player for one of them, or delete the game."
                )
                % {"name": game.name, "where": where}
            )


def _new_contests(
    series: Series,
    placed: Sequence[tuple[Contest, ParsedContest]],
    names: Sequence[str],
    register: PlayerRegister,
    finalized_at: datetime | None,
) -> list[tuple[Any, ...]]:
    """Return the values of _CONTEST_COLUMNS for each game, given its name."""
    taken = _taken_slugs(series, [game.key for _, game in placed])
    ends = [game.ends_at or event.ends_at for event, game in placed]
    numbers = _last_sequences(series, ends)
    rows = []
    for (event, game), name, ends_at in zip(placed, names, ends, strict=True):
        number = numbers[ends_at] = numbers.get(ends_at, -1) + 1
        slug, times = game.key or "game", 2
        while slug in taken:
            slug, times = f"{game.key or 'game'}-{times}", times + 1
        taken.add(slug)
        details = game.game
        is_walkover = details is not None and details.is_walkover
        rows.append(
            (
                event.pk, slug, name, game.url, ends_at, number, game.weight, not is_walkover, is_walkover,
                details.round if details is not None else "", game.has_teams, game.has_handicaps,
                len(game.standings), register.digest(game.standings), finalized_at or event.finalized_at,
            )
        )  # fmt: skip
    return rows


def _taken_slugs(series: Series, slugs: Sequence[str]) -> set[str]:
    """Return those of these slugs that the series has, and those with numbers that follow from them."""
    found: set[str] = set()
    existing = series.contests.existing()
    for part in chunks(list(dict.fromkeys(slugs))):
        found |= set(existing.filter(slug__in=part).values_list("slug", flat=True))
    for part in chunks(sorted(found), _PREFIXES):
        follow = reduce(or_, (Q(slug__startswith=f"{slug}-") for slug in part))
        found |= set(existing.filter(follow).values_list("slug", flat=True))
    return found


def _last_sequences(series: Series, ends: Sequence[datetime]) -> dict[datetime, int]:
    """Return the greatest sequence at each of these ends that the series already uses."""
    found = series.contests.filter(ends_at__range=(min(ends), max(ends))).order_by()
    return dict(found.values_list("ends_at").annotate(last=Max("sequence")))


def discard_games(event: Contest) -> None:
    """Delete the games of a draft event for good; those with a history of their own stay as deleted contests."""
    drafts = event.games.existing().filter(state=ContestState.DRAFT)
    with_history = set(AuditEntry.objects.filter(contest__in=drafts).values_list("contest_id", flat=True))
    drafts.filter(pk__in=with_history).update(state=ContestState.DELETED, version=F("version") + 1)
    plain = drafts.exclude(pk__in=with_history)
    Standing.objects.filter(contest__in=plain).delete()
    plain.delete()


def refresh_event(event_id: int) -> None:
    """Count the games and players of an event again, and set its dates to those of its games."""
    refresh_events([event_id])


def refresh_events(event_ids: Sequence[int]) -> None:
    """
    Count the games and players of events again, and set their dates to those of their games.

    Earlier requests to finalize the events expire.
    """
    Contest.objects.filter(pk__in=event_ids, state=ContestState.DRAFT).update(asked_by=None, asked_at=None)
    games = Contest.objects.existing().filter(event__in=event_ids).order_by()
    counted = {
        row["event"]: row
        for row in games.values("event").annotate(number=Count("pk"), first=Min("ends_at"), last=Max("ends_at"))
    }
    by_event = Standing.objects.filter(contest__in=games).order_by().values_list("contest__event")
    players = dict(by_event.annotate(players=Count("player", distinct=True)))
    values = {pk: (row["number"], players.get(pk, 0), row["first"], row["last"]) for pk, row in counted.items()}
    if len(event_ids) > _MANY_EVENTS:
        Contest.objects.filter(pk__in=list(values), is_event=True).update(version=F("version") + 1)
        update_rows(Contest, _COUNTED, [(pk, *row) for pk, row in values.items()])
        event_ids = [pk for pk in event_ids if pk not in values]
    for pk in event_ids:
        new = zip(_COUNTED, values.get(pk, (0, 0)), strict=False)
        Contest.objects.filter(pk=pk, is_event=True).update(version=F("version") + 1, **dict(new))


def finalize_games(event: Contest, finalized_at: datetime) -> tuple[int, datetime | None]:
    """
    Finalize the draft games of an event in the caller's transaction.

    Returns their number, and the end of the earliest rated one.
    """
    drafts = event.games.filter(state=ContestState.DRAFT)
    since = drafts.filter(is_rated=True).aggregate(first=Min("ends_at"))["first"]
    count = drafts.update(state=ContestState.FINALIZED, finalized_at=finalized_at, version=F("version") + 1)
    return count, since


def delete_games(event: Contest) -> tuple[int, datetime | None]:
    """Delete the games of an event with it; return their number, and the end of the earliest rated one."""
    games = event.games.existing()
    since = games.rated().aggregate(first=Min("ends_at"))["first"]
    return games.update(state=ContestState.DELETED, version=F("version") + 1), since


def restore_games(event: Contest) -> tuple[int, datetime | None]:
    """Restore the games that were deleted with an event, but not those that were deleted on their own before."""
    own = AuditEntry.objects.filter(contest=OuterRef("pk"), action__in=("contest.delete", "contest.restore"))
    deleted = event.games.filter(state=ContestState.DELETED).annotate(
        last=Subquery(own.order_by("-at", "-id").values("action")[:1])
    )
    chosen = list(deleted.filter(Q(last=None) | Q(last="contest.restore")).values_list("pk", flat=True))
    state = ContestState.FINALIZED if event.finalized_at is not None else ContestState.DRAFT
    try:
        with transaction.atomic():
            for part in chunks(chosen):
                Contest.objects.filter(pk__in=part).update(state=state, version=F("version") + 1)
    except IntegrityError as error:
        raise ContestError(
            gettext("Series “%(slug)s” now has some games of “%(name)s” in another event. Delete those first.")
            % {"slug": event.series.slug, "name": event.name}
        ) from error
    rated = event.games.rated().aggregate(first=Min("ends_at"))["first"]
    return len(chosen), rated


def move_merged_in_games(event: Contest) -> None:
    """Move the rows of merged players in the games of an event to the players they were merged into."""
    rows = Standing.objects.filter(contest__event=event, contest__state=ContestState.DRAFT)
    for row in rows.exclude(player__merged_into=None).select_related("player__merged_into", "contest"):
        kept = row.player.merged_into
        if kept is None:
            continue
        if Standing.objects.filter(contest=row.contest_id, player=kept).exists():
            raise ContestError(
                gettext(
                    "“%(handle)s” has been merged into “%(other)s”, but the two play each other in “%(name)s”. "
                    "Split them, or delete the game first."
                )
                % {"handle": row.player.handle, "other": kept.handle, "name": row.contest.name}
            )
        row.player = kept
        row.save(update_fields=["player"])
