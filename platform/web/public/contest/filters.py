"""
Filters of one contest's standings: from the query string to a QuerySet, and to the row at which the page opens.

Ranks stay those of the whole contest. The database does all the filtering, so that showing a contest of 20,000 players
costs no more than one page of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, F, FloatField, Q, Value
from django.utils.translation import gettext as _

from contests.caching import cached
from contests.handles import lookup_key
from contests.matching.name_index import matching
from contests.models import Standing
from contests.whole_numbers import whole_number_of
from ratings.display import raw_threshold
from ratings.display.scores import conservative_factor
from ratings.models import RatingChange
from ratings.queries.filters import alphabetical, country_name
from ratings.queries.search import player_of
from web.shared.params import text_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.db.models.expressions import CombinedExpression
    from django.http import HttpRequest

    from contests.models import Contest, Player
    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot

#: Players who share a place are ordered by id, so that paging needs no join with the players.
ORDER = (F("rank").asc(nulls_last=True), F("place").asc(nulls_last=True), "player_id")
#: How long a contest's list of countries is cached: the players' data can change without the contest.
COUNTRIES_SECONDS = 600
#: Beyond every possible place.
_LAST_RANK = 10**9 - 1
#: Beyond every possible score, yet finite.
_BEYOND = 1e300


@dataclass(slots=True)
class StandingsFilters:
    """
    The valid values of a query string.

    rank
        The place at which the page opens, or None.
    problems
        Sentences about invalid values; if there are any, the response has the status 404.
    """

    find: str = ""
    country: str = ""
    tier: Tier | None = None
    rank: int | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def is_filtered(self) -> bool:
        return bool(self.country or self.tier)


@dataclass(slots=True)
class FoundRows:
    """
    The rows to show, and the row at which the page opens.

    target
        The row at which the page opens; None for the first page.
    text
        The text that the names of all players shown contain, if no player's handle is exactly that text.
    player
        The player with the handle searched for, if the visitor may know of them.
    outside
        That player's standing, if the filters exclude it.
    """

    rows: QuerySet[Standing]
    target: Standing | None = None
    text: str = ""
    player: Player | None = None
    outside: Standing | None = None


def read_filters(request: HttpRequest, snapshot: SeriesSnapshot) -> StandingsFilters:
    """Read the query string: `find`, `country`, `tier` and `rank`."""
    filters = StandingsFilters(find=text_of(request, "find"))
    country, tier, rank = (text_of(request, name) for name in ("country", "tier", "rank"))
    if country:
        code = country.upper()
        if country_name(code) == code:
            filters.problems.append(_("There is no country “%(code)s”.") % {"code": country[:20]})
        else:
            filters.country = code
    if tier:
        filters.tier = next((one for one in snapshot.tiers if one.name.casefold() == tier.casefold()), None)
        if filters.tier is None:
            filters.problems.append(_("There is no tier “%(name)s”.") % {"name": tier[:40]})
    if rank:
        filters.rank = whole_number_of(rank, most=_LAST_RANK) or None
        if filters.rank is None:
            filters.problems.append(_("“%(rank)s” is not a valid place. Enter a whole number.") % {"rank": rank[:20]})
    return filters


def find_rows(request: HttpRequest, contest: Contest, snapshot: SeriesSnapshot, filters: StandingsFilters) -> FoundRows:
    """Return the matching rows, and the row at which the page opens."""
    standings = Standing.objects.filter(contest=contest)
    found = FoundRows(_filtered(standings, contest, snapshot, filters))
    if filters.find:
        _find_player(request, contest, standings, found, filters)
    elif filters.rank is not None:
        _open_at_rank(found, filters)
    return found


def position_of(rows: QuerySet[Standing], target: Standing) -> int:
    """Return the number of rows before this one, in one query."""
    same_place = _before("place", target.place) | _equal("place", target.place) & Q(player_id__lt=target.player_id)
    return rows.filter(_before("rank", target.rank) | _equal("rank", target.rank) & same_place).count()


def countries_of_contest(contest: Contest) -> list[tuple[str, str, int]]:
    """Return the code, name and number of participants of each country in a contest, ordered by name."""
    key = f"contest-countries:{contest.pk}:{contest.version}:{contest.created_at.timestamp()}"
    rows = Standing.objects.filter(contest=contest).exclude(player__country="")
    named = rows.values_list("player__country").annotate(Count("pk")).order_by("player__country")
    counts = cached(key, lambda: list(named), COUNTRIES_SECONDS)
    return sorted(((code, country_name(code), count) for code, count in counts), key=lambda row: alphabetical(row[1]))


def _filtered(
    rows: QuerySet[Standing], contest: Contest, snapshot: SeriesSnapshot, filters: StandingsFilters
) -> QuerySet[Standing]:
    if filters.country:
        rows = rows.filter(player__country=filters.country)
    if filters.tier is not None:
        rows = rows.filter(player_id__in=_in_tier(contest, snapshot, filters.tier))
    return rows


def _in_tier(contest: Contest, snapshot: SeriesSnapshot, tier: Tier) -> QuerySet[RatingChange, int]:
    """Return the ids of players whose displayed rating after the contest, as rounded, is in the tier."""
    low, high = _bounds(snapshot, tier)
    changes = RatingChange.objects.current().filter(contest=contest).annotate(score=_score(snapshot))
    return changes.filter(score__gte=low, score__lt=high).values_list("player_id", flat=True)


def _bounds(snapshot: SeriesSnapshot, tier: Tier) -> tuple[float, float]:
    """Return the lowest scores of a tier and of the next one, both finite: not all databases have infinity."""
    number = list(snapshot.tiers).index(tier)
    higher = snapshot.tiers[number + 1] if number + 1 < len(snapshot.tiers) else None
    low = _threshold(snapshot, tier.minimum) if tier.minimum is not None else -_BEYOND
    return low, _threshold(snapshot, higher.minimum) if higher is not None else _BEYOND


def _threshold(snapshot: SeriesSnapshot, points: int) -> float:
    try:
        return max(-_BEYOND, raw_threshold(snapshot.mapping, points))
    except ValueError:  # more points than the mapping can display
        return _BEYOND


def _score(snapshot: SeriesSnapshot) -> CombinedExpression:
    """Return mu - k (sigma - sig_limit) as an expression that rounds exactly like `SeriesSnapshot.score`."""
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    k = conservative_factor(scheme.display) if scheme else 0.0
    limit = float(scheme.parameters.get("sig_limit", 0.0)) if scheme else 0.0
    number = FloatField()
    return F("mu") - Value(k, output_field=number) * (F("sigma") - Value(limit, output_field=number))


def _find_player(
    request: HttpRequest, contest: Contest, standings: QuerySet[Standing], found: FoundRows, filters: StandingsFilters
) -> None:
    """Open at the player with that handle; if they are not in this contest, show players whose names contain it."""
    player = player_of(contest.series.community_id, filters.find, request.user)
    standing = standings.filter(player=player).first() if player is not None else None
    if standing is not None:
        found.player = player
        found.target = found.rows.filter(pk=standing.pk).first() if filters.is_filtered else standing
        found.outside = standing if found.target is None else None
        return
    similar = found.rows.filter(matching(filters.find, "player__")) if lookup_key(filters.find) else found.rows.none()
    if similar.exists():
        found.rows, found.text = similar, filters.find
    elif player is not None:
        found.player = player


def _open_at_rank(found: FoundRows, filters: StandingsFilters) -> None:
    """Open at the first row with that place or a later one; if there is none, at the last ranked row."""
    ranked = found.rows.filter(rank__isnull=False)
    found.target = ranked.filter(rank__gte=filters.rank).order_by(*ORDER).first()
    if found.target is not None:
        return
    found.target = ranked.order_by("-rank", "-place", "-player_id").first()
    if found.target is not None:
        sentence = _("There is no place %(rank)s here; the last one is %(last)s.")
        filters.problems.append(sentence % {"rank": filters.rank, "last": found.target.rank})


def _before(name: str, value: int | None) -> Q:
    """Match rows whose column comes before this value; null comes last."""
    return Q(**{f"{name}__lt": value}) if value is not None else Q(**{f"{name}__isnull": False})


def _equal(name: str, value: int | None) -> Q:
    return Q(**{name: value}) if value is not None else Q(**{f"{name}__isnull": True})
