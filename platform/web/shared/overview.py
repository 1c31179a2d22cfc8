"""Series at a glance for the front page and the lists of series, each in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db import connection
from django.db.models import Exists, F, OuterRef, Subquery

from contests.models import Contest, Player, Series
from contests.queries.communities import names_if_several
from contests.queries.event_winners import winners_with_events
from contests.ranking import competition_ranks
from ratings.derived import unpack
from ratings.derived.movers import DERIVATION as MOVERS
from ratings.derived.records import DERIVATION as RECORDS
from ratings.models import Derived, Rating, Run
from ratings.queries.boards import CONTESTS_READ, FEWEST_LISTED, SLACK, rule_of
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.snapshot import snapshots_of
from ratings.queries.sparklines import newest_ratings
from ratings.systems.contest import days_since_1970
from web.shared.contest_counts import ContestCounts, count_rows, counts_by_series
from web.shared.week import SeriesNews, Week, week_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from contests.queries.winners import Winners
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class Mover:
    """A player and the rating before and after a contest or event, in displayed points."""

    player: Player
    before: int
    after: int

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Moves:
    """
    The largest gains and losses of one contest or event, largest first.

    leaves_out
        Whether players with provisional ratings are left out, or new players if all ratings were provisional.
    """

    snapshot: SeriesSnapshot
    contest_id: int
    gains: list[Mover]
    losses: list[Mover]
    leaves_out: bool


def news_of(snapshots: Iterable[SeriesSnapshot]) -> list[SeriesNews]:
    """Return what has been computed about the newest contests of each series, in one query."""
    by_run = {
        snapshot.run.pk: snapshot for snapshot in snapshots if snapshot.run is not None and snapshot.scheme is not None
    }
    found: dict[int, dict[str, dict[str, Any]]] = {}
    rows = Derived.objects.filter(run__in=by_run, kind__in=[MOVERS.stored_kind, RECORDS.stored_kind], error="")
    for run, scheme, kind, content in rows.order_by("run").values_list("run", "scheme", "kind", "content"):
        snapshot = by_run[run]
        if snapshot.scheme is not None and snapshot.scheme.pk == scheme:
            found.setdefault(run, {})[kind] = unpack(bytes(content))
    return [
        SeriesNews(by_run[run], kinds.get(MOVERS.stored_kind, {}), kinds.get(RECORDS.stored_kind, {}))
        for run, kinds in found.items()
    ]


def moves_of(news: Iterable[SeriesNews]) -> dict[int, Moves]:
    """Return the computed moves in the newest contests and events of each series by contest id, in one query."""
    found = [(one.snapshot, entry) for one in news for entry in one.moves]
    named = {row[0] for _, entry in found for row in (*entry["gains"], *entry["losses"])}
    players = Player.objects.in_bulk(named)
    return {
        entry["contest"]: Moves(
            snapshot,
            entry["contest"],
            _movers(entry["gains"], players),
            _movers(entry["losses"], players),
            entry["leaves_out"],
        )
        for snapshot, entry in found
    }


def largest_gains(news: Iterable[SeriesNews], contests: Iterable[Contest]) -> dict[int, Mover]:
    """
    Return the largest gain of each of these contests and events, by contest id, in one query.

    Leave out those without gains, and those in which every rating was provisional.
    """
    wanted = {contest.pk for contest in contests}
    rows = {
        entry["contest"]: entry["gains"][:1]
        for one in news
        for entry in one.moves
        if entry["contest"] in wanted and entry["is_settled"]
    }
    players = Player.objects.in_bulk([row[0] for best in rows.values() for row in best])
    return {contest: movers[0] for contest, best in rows.items() if (movers := _movers(best, players))}


def _movers(rows: list[list[int]], players: dict[int, Player]) -> list[Mover]:
    return [Mover(players[pk], before, after) for pk, before, after, _ in rows if pk in players]


PODIUM_SIZE = 3


def podiums(snapshots: Iterable[SeriesSnapshot]) -> dict[int, list[int]]:
    """
    Return the ids of the ratings of the best three established and active players of each series, best first.

    Leave out the series whose leaderboards list everyone by default. Results are cached for each run: two queries for
    all series that are not cached yet, none for the others.
    """
    keys = {f"podium:{snapshot.run.uid}": snapshot.series.pk for snapshot in snapshots if snapshot.run is not None}
    found: dict[str, list[int]] = cache.get_many(keys)
    missing = {pk: key for key, pk in keys.items() if key not in found}
    if missing:
        read = _default_podiums(missing)
        fresh = {key: read.get(pk, []) for pk, key in missing.items()}
        cache.set_many(fresh, timeout=86_400)
        found |= fresh
    return {keys[key]: ids for key, ids in found.items() if ids}


def _default_podiums(series_ids: Iterable[int]) -> dict[int, list[int]]:
    parts: list[str] = []
    parameters: list[Any] = []
    for number, (pk, ends) in enumerate(_newest_ends(series_ids).items()):
        rule = rule_of([days_since_1970(end) for end in ends])
        since = ends[0] - timedelta(days=rule.days + SLACK)
        rows = Rating.objects.filter(series=pk, contest_count__gte=rule.contests, last_contest__ends_at__gte=since)
        listed = rows.best_first().values_list("series_id", "id")[:FEWEST_LISTED]
        query, values = listed.query.sql_with_params()
        parts.append(f"SELECT * FROM ({query}) AS part{number}")
        parameters += values
    found: dict[int, list[int]] = {}
    if parts:
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(parts), parameters)
            for pk, rating in cursor.fetchall():
                found.setdefault(pk, []).append(rating)
    return {pk: ratings[:PODIUM_SIZE] for pk, ratings in found.items() if len(ratings) == FEWEST_LISTED}


def _newest_ends(series_ids: Iterable[int]) -> dict[int, Sequence[datetime]]:
    """Return the end times of the newest rated contests of each series that has any, newest first, in one query."""
    ends = Contest.objects.rated().filter(series=OuterRef("pk")).newest_first().values("ends_at")
    columns = [Subquery(ends[i : i + 1]) for i in range(CONTESTS_READ)]
    rows = Series.objects.filter(pk__in=list(series_ids)).values_list("pk", *columns)
    return {pk: [end for end in found if end is not None] for pk, *found in rows if found[0] is not None}


#: Limits of the front page. Few of the latest results come from one series, so that a busy one does not fill it.
SERIES_SHOWN = 6
RESULTS_SHOWN = 8
RESULTS_READ = 40
RESULTS_OF_ONE = 3
COMING_SHOWN = 6
STEPS = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the podium; players with the same score share a rank."""

    rating: Rating
    points: int
    rank: int


@dataclass(frozen=True, slots=True)
class SeriesCard:
    """
    A series with its best three, its newest contest, and the newest ratings of the leader for a small graph.

    counts
        Only if the series has events.
    of_games
        Whether its contests are called games.
    """

    snapshot: SeriesSnapshot
    podium: list[Step]
    newest: Contest | None
    line: list[int] = field(default_factory=list)
    counts: ContestCounts | None = None
    of_games: bool = False

    @property
    def series(self) -> Series:
        return self.snapshot.series


@dataclass(frozen=True, slots=True)
class Result:
    """A finished contest with its winners and its largest gain; None if there is none or it is not computed yet."""

    contest: Contest
    winners: Winners | None
    best: Mover | None


@dataclass(frozen=True, slots=True)
class FrontPage:
    """
    The content of the front page.

    leaves_out
        Whether the largest gain of a result leaves out anyone.
    communities
        The names of the communities of all series on the page, by slug; empty if the site lists no other.
    """

    cards: list[SeriesCard]
    has_more_series: bool
    results: list[Result]
    week: Week
    coming: list[Contest]
    leaves_out: bool = False
    communities: dict[str, str] = field(default_factory=dict)

    @property
    def leaders(self) -> list[SeriesCard]:
        """Cards of the series that have a leader."""
        return [card for card in self.cards if card.podium]

    @property
    def snapshots(self) -> list[SeriesSnapshot]:
        """Snapshots of all series whose ratings the page shows."""
        moved = [move.snapshot for move in (*self.week.rises, *self.week.falls)]
        return list({one.series.pk: one for one in (*(card.snapshot for card in self.cards), *moved)}.values())


def front_page(series: QuerySet[Series]) -> FrontPage:
    """Return the front page of these series in at most 20 queries, or 24 after a change of the newest events."""
    listed = list(with_glance(series).order_by(F("newest_at").desc(nulls_last=True), "name", "pk")[: SERIES_SHOWN + 1])
    of_series = Contest.objects.filter(series__in=series).select_related("series")
    contests = _mixed(list(of_series.finalized().listed_alone().newest_first()[:RESULTS_READ]))
    snapshots = snapshots_of({*listed, *(contest.series for contest in contests)})
    news = news_of(snapshots.values())
    winners, gains = winners_with_events(contests), largest_gains(news, contests)
    week, coming = week_of(news), list(of_series.coming()[:COMING_SHOWN])
    moves = [entry for one in news for entry in one.moves if entry["contest"] in gains]
    shown = {*(contest.series for contest in (*contests, *coming)), *listed[:SERIES_SHOWN]}
    shown |= {snapshot.series for snapshot in snapshots.values()}
    return FrontPage(
        series_cards(listed[:SERIES_SHOWN], snapshots),
        len(listed) > SERIES_SHOWN,
        [Result(contest, winners.get(contest.pk), gains.get(contest.pk)) for contest in contests],
        week,
        coming,
        any(entry["leaves_out"] for entry in moves),
        names_if_several({one.community_id for one in shown}),
    )


def _mixed(contests: list[Contest]) -> list[Contest]:
    """Choose contests, newest first: a few of each series, and more if there are no others."""
    counts: dict[int, int] = {}
    chosen: list[Contest] = []
    left: list[Contest] = []
    for contest in contests:
        counts[contest.series_id] = counts.get(contest.series_id, 0) + 1
        (chosen if counts[contest.series_id] <= RESULTS_OF_ONE else left).append(contest)
    picked = {contest.pk for contest in (chosen + left)[:RESULTS_SHOWN]}
    return [contest for contest in contests if contest.pk in picked]


def with_glance(series: QuerySet[Series]) -> QuerySet[Series]:
    """Annotate each series with the ids of the objects on its card."""
    best = Rating.objects.filter(series=OuterRef("pk")).best_first().values("pk")
    newest = Contest.objects.finalized().listed_alone().filter(series=OuterRef("pk")).newest_first()
    steps = {name: Subquery(best[place : place + 1]) for place, name in enumerate(STEPS)}
    return series.annotate(
        has_events=Exists(Contest.objects.finalized().filter(series=OuterRef("pk"), is_event=True)),
        newest=Subquery(newest.values("pk")[:1]),
        newest_at=Subquery(newest.values("ends_at")[:1]),
        **steps,
    )


def series_cards(series: list[Series], snapshots: dict[int, SeriesSnapshot] | None = None) -> list[SeriesCard]:
    """
    Return the cards of series from `with_glance` in at most seven queries, or five with given snapshots.

    After an update of a series whose newest contest is a game, one more query tells whether it is a series of games.
    """
    snapshots = snapshots_of(series) if snapshots is None else snapshots
    listed = podiums(snapshots[one.pk] for one in series)
    best = {one.pk: listed.get(one.pk) or [getattr(one, name) for name in STEPS] for one in series}
    ratings = (
        Rating.objects.filter(pk__in=[pk for ids in best.values() for pk in ids if pk])
        .select_related("player")
        .defer("belief")
    )
    by_id = {rating.pk: rating for rating in ratings}
    contests = Contest.objects.in_bulk([one.newest for one in series if one.newest])  # type: ignore[attr-defined]  # annotated
    counts = _event_counts([one for one in series if one.has_events], snapshots)  # type: ignore[attr-defined]  # annotated
    cards = []
    for one in series:
        snapshot = snapshots[one.pk]
        podium = [rating for pk in best[one.pk] if (rating := by_id.get(pk))]
        ranks = competition_ranks([rating.score for rating in podium])
        steps = [Step(rating, snapshot.rating(rating.score), rank) for rating, rank in zip(podium, ranks, strict=True)]
        newest = contests.get(one.newest)  # type: ignore[attr-defined]  # annotated
        of_games = newest is not None and newest.standing_count == 2 and is_of_games(snapshot)
        cards.append(SeriesCard(snapshot, steps, newest, counts=counts.get(one.pk), of_games=of_games))
    return _with_lines(cards)


def newest_rated_cards(series: QuerySet[Series], most: int) -> list[SeriesCard]:
    """Return the cards of the rated ones among these series, those with the newest contests first."""
    newest = with_glance(series.filter(pk__in=Run.objects.published().values("series"))).order_by(
        F("newest_at").desc(nulls_last=True), "pk"
    )
    return [card for card in series_cards(list(newest[:most])) if card.podium]


def _event_counts(series: Iterable[Series], snapshots: dict[int, SeriesSnapshot]) -> dict[int, ContestCounts]:
    """Return the numbers of contests and events of series with events; in one query after any of them was updated."""
    runs = {one.pk: snapshots[one.pk].run for one in series}
    keys = {f"event-counts:{run.uid}": pk for pk, run in runs.items() if run is not None}
    found: dict[str, ContestCounts] = cache.get_many(keys) if keys else {}
    missing = {pk: key for key, pk in keys.items() if key not in found}
    if missing:
        listed = Contest.objects.finalized().listed_alone().filter(series__in=missing)
        counted = counts_by_series(count_rows(listed))
        fresh = {key: counted.get(pk, ContestCounts()) for pk, key in missing.items()}
        cache.set_many(fresh, timeout=86_400)
        found |= fresh
    return {keys[key]: counts for key, counts in found.items()}


def names_of_cards(cards: Iterable[SeriesCard]) -> dict[str, str]:
    """Return the names of the communities of these series by slug; nothing if the site lists no other."""
    return names_if_several({card.series.community_id for card in cards})


def _with_lines(cards: list[SeriesCard]) -> list[SeriesCard]:
    """Add the newest ratings of the leaders, in one query."""
    leaders = {card.series.pk: card.podium[0].rating for card in cards if card.podium}
    lines = newest_ratings((card.snapshot, leaders[card.series.pk]) for card in cards if card.podium) if leaders else {}
    return [replace(card, line=lines.get(leaders[card.series.pk].pk, [])) if card.podium else card for card in cards]
