"""Write the games of an event, recognize games that a series already has, and finalize and delete them with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.utils.translation import gettext

from contests.bulk import chunks, insert_objects, insert_rows
from contests.errors import ContestError
from contests.models import AuditEntry, Contest, ContestState, Standing
from contests.services.standings import content_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from contests.formats import ParsedContest
    from contests.models import Series, Upload
    from contests.services.standings import PlayerRegister

    #: The end of a game, and the players of each rank.
    Signature = tuple[datetime, frozenset[tuple[int | None, frozenset[int]]]]


_COLUMNS = ("contest_id", "player_id", "place", "rank", "score", "penalty", "team", "status", "side", "handicap")
_BATCH = 2_000
#: Rows of a game; a contest with more is no game, and is not compared with games.
_MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class KnownGame:
    """
    A game of a file that the series already has.

    contest_id
        The contest that it is.
    is_changed
        Whether that contest now has another result, because it was corrected.
    """

    contest_id: int
    is_changed: bool = False


def known_games(
    series_id: int, games: Sequence[ParsedContest], ids: Mapping[str, int], key_of: Any, *, besides: int | None = None
) -> dict[int, KnownGame]:
    """
    Return the games that the series already has, by their position among the given ones, with two queries.

    A game is known by its id or by its end, players and result. A round makes it another one, if both are given. If
    the file contains a game twice, and the series has it once, only one of the two is known.

    ids, key_of
        The players by the key of their handle, as far as they are known, and the function that returns the key.
    besides
        The event whose own games do not count, because the given ones replace them.
    """
    moments = [game.ends_at for game in games if game.ends_at is not None]
    existing = Contest.objects.existing().filter(series=series_id, is_event=False, standing_count__lte=_MOST_ROWS)
    if moments:
        existing = existing.filter(ends_at__range=(min(moments), max(moments)))
    if besides is not None:
        existing = existing.exclude(event=besides)
    stored = _signatures(existing)
    slugs = dict(existing.values_list("slug", "pk"))
    found: dict[int, KnownGame] = {}
    taken: set[int] = set()
    signatures = [_signature(game, ids, key_of) for game in games]
    for i, game in enumerate(games):
        pk = slugs.get(game.key)
        if pk is not None:
            found[i] = KnownGame(pk, is_changed=stored.get(pk, (None, ""))[0] != signatures[i])
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


def _signatures(contests: Any) -> dict[int, tuple[Signature, str]]:
    rows = Standing.objects.filter(contest__in=contests).values_list(
        "contest_id", "contest__ends_at", "contest__round", "rank", "player_id"
    )
    parts: dict[int, tuple[datetime, str, dict[int | None, set[int]]]] = {}
    for pk, ends_at, round_, rank, player in rows.iterator(chunk_size=10_000):
        parts.setdefault(pk, (ends_at, round_, {}))[2].setdefault(rank, set()).add(player)
    return {pk: ((ends_at, _frozen(ranks)), round_) for pk, (ends_at, round_, ranks) in parts.items()}


def _signature(game: ParsedContest, ids: Mapping[str, int], key_of: Any) -> Signature | None:
    """Return the signature of a game of a file, None if a player of it is new or the end is unknown."""
    ranks: dict[int | None, set[int]] = {}
    for row, rank in zip(game.standings, game.ranks, strict=True):
        player = ids.get(key_of(row.handle))
        if player is None or game.ends_at is None:
            return None
        ranks.setdefault(rank, set()).add(player)
    return (game.ends_at, _frozen(ranks)) if game.ends_at is not None else None


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
    if not games:
        return None
    rows = [row for game in games for row in game.standings]
    ids = register.find_or_create(rows)
    _refuse_one_player_twice(games, ids, register)
    contests = _new_contests(event, games)
    for contest, game in zip(contests, games, strict=True):
        contest.upload, contest.content_hash = upload, content_hash(game.standings, register)
        contest.finalized_at = finalized_at or event.finalized_at
    try:
        with transaction.atomic():
            insert_objects(contests)
    except IntegrityError as error:
        raise ContestError(
            gettext("Series “%(slug)s” already has one of the games of “%(name)s”. Upload the file again.")
            % {"slug": event.series.slug, "name": event.name}
        ) from error
    insert_rows(
        Standing,
        _COLUMNS,
        (
            (
                contest.pk, ids[register.key(row.handle)], row.place, rank, row.score, row.penalty, row.team,
                row.status, side, row.handicap,
            )
            for contest, game in zip(contests, games, strict=True)
            for row, rank, side in zip(game.standings, game.ranks, _sides(game), strict=True)
        ),
    )  # fmt: skip
    return min((contest.ends_at for contest in contests if contest.is_rated), default=None)


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
                    "Two names in the game “%(name)s”%(where)s mean the same player. Choose another player for "
                    "one of them, or delete the game."
                )
                % {"name": game.name, "where": where}
            )


def _new_contests(event: Contest, games: Sequence[ParsedContest]) -> list[Contest]:
    taken = _taken_slugs(event, [game.key for game in games])
    ends = [game.ends_at or event.ends_at for game in games]
    numbers = _last_sequences(event.series, ends)
    contests = []
    for game, ends_at in zip(games, ends, strict=True):
        number = numbers[ends_at] = numbers.get(ends_at, -1) + 1
        slug, times = game.key or "game", 2
        while slug in taken:
            slug, times = f"{game.key or 'game'}-{times}", times + 1
        taken.add(slug)
        is_walkover = game.game is not None and game.game.is_walkover
        contests.append(
            Contest(
                series=event.series, event=event, slug=slug, name=game.name, url=game.url, ends_at=ends_at,
                sequence=number, weight=game.weight, is_rated=not is_walkover, is_walkover=is_walkover,
                round=game.game.round if game.game is not None else "", has_teams=game.has_teams,
                has_handicaps=game.has_handicaps, state=event.state, standing_count=len(game.standings),
            )
        )  # fmt: skip
    return contests


def _taken_slugs(event: Contest, slugs: Sequence[str]) -> set[str]:
    """Return the slugs of the series that begin like these; each game gets a free one."""
    found: set[str] = set()
    existing = event.series.contests.existing()
    for part in chunks(list(dict.fromkeys(slugs))):
        found |= set(existing.filter(slug__in=part).values_list("slug", flat=True))
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
    games = Contest.objects.existing().filter(event=event_id)
    found = games.aggregate(games=Count("pk"), first=Min("ends_at"), last=Max("ends_at"))
    players = Standing.objects.filter(contest__in=games).values("player").distinct().count()
    dates = {"starts_at": found["first"], "ends_at": found["last"]} if found["last"] is not None else {}
    Contest.objects.filter(pk=event_id, is_event=True).update(
        game_count=found["games"], standing_count=players, version=F("version") + 1, **dates
    )


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
