"""
The standings of one contest, filtered and opened at somebody: what a query string asks for, as a QuerySet and a row.

Ranks stay those of the whole contest. Everything is cut by the database, so that a field of 20,000 costs a page of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, F, FloatField, Q, Value
from django.utils.translation import gettext as _

from contests.caching import cached
from contests.matching.name_index import matching
from contests.models import Standing
from contests.queries.visibility import visible_players
from contests.whole_numbers import whole_number_of
from ratings.display import raw_threshold
from ratings.display.scores import conservative_factor
from ratings.models import RatingChange
from ratings.queries.filters import alphabetical, country_name
from ratings.queries.search import key_of, player_of
from web.shared.params import text_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.db.models.expressions import CombinedExpression
    from django.http import HttpRequest

    from contests.models import Contest, Player
    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot

#: Those who share a place stand by player id, so that no table of players has to be joined to cut a page.
ORDER = (F("rank").asc(nulls_last=True), F("place").asc(nulls_last=True), "player_id")
#: How long a contest's list of countries is kept: it changes with the players' data, not with the contest.
COUNTRIES_SECONDS = 600
#: More digits than any place has.
_LAST_RANK = 10**9 - 1
#: No score is so far from zero.
_BEYOND = 1e300


@dataclass(slots=True)
class Asked:
    """
    What a query string asks for, as far as it can be understood.

    rank
        The place at which the page is to open; None for none.
    problems
        What could not be understood, in sentences; the answer's status is then 404.
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
class Found:
    """
    The rows to show, and where to open them.

    target
        The row at which the page opens; None for its beginning.
    text
        What all rows have in the names of their players, where nobody is called exactly so.
    player
        Who is called what was looked for, if the visitor may know.
    outside
        The standing of that player which the filters leave out.
    """

    rows: QuerySet[Standing]
    target: Standing | None = None
    text: str = ""
    player: Player | None = None
    outside: Standing | None = None


def asked_of(request: HttpRequest, snapshot: SeriesSnapshot) -> Asked:
    """Read the query string: `find`, `country`, `tier` and `rank`."""
    asked = Asked(find=text_of(request, "find"))
    country, tier, rank = (text_of(request, name) for name in ("country", "tier", "rank"))
    if country:
        code = country.upper()
        if country_name(code) == code:
            asked.problems.append(_("There is no country “%(code)s”.") % {"code": country[:20]})
        else:
            asked.country = code
    if tier:
        asked.tier = next((one for one in snapshot.tiers if one.name.casefold() == tier.casefold()), None)
        if asked.tier is None:
            asked.problems.append(_("There is no tier “%(name)s”.") % {"name": tier[:40]})
    if rank:
        asked.rank = whole_number_of(rank, most=_LAST_RANK) or None
        if asked.rank is None:
            asked.problems.append(_("There is no place “%(rank)s”.") % {"rank": rank[:20]})
    return asked


def find_rows(request: HttpRequest, contest: Contest, snapshot: SeriesSnapshot, asked: Asked) -> Found:
    """Return the rows that match, and the one at which to open them."""
    everybody = Standing.objects.filter(contest=contest)
    found = Found(_filtered(everybody, contest, snapshot, asked))
    if asked.find:
        _look_for(request, everybody, found, asked)
    elif asked.rank is not None:
        _open_at_rank(found, asked)
    return found


def position_of(rows: QuerySet[Standing], target: Standing) -> int:
    """Return how many of the rows come before this one; one query."""
    same_place = _before("place", target.place) | _equal("place", target.place) & Q(player_id__lt=target.player_id)
    return rows.filter(_before("rank", target.rank) | _equal("rank", target.rank) & same_place).count()


def countries_of_contest(contest: Contest) -> list[tuple[str, str, int]]:
    """Return code, name and number of participants of the countries in a contest, by name."""
    key = f"contest-countries:{contest.pk}:{contest.version}:{contest.created_at.timestamp()}"
    rows = Standing.objects.filter(contest=contest).exclude(player__country="")
    named = rows.values_list("player__country").annotate(Count("pk")).order_by("player__country")
    counts = cached(key, lambda: list(named), COUNTRIES_SECONDS)
    return sorted(((code, country_name(code), count) for code, count in counts), key=lambda row: alphabetical(row[1]))


def _filtered(rows: QuerySet[Standing], contest: Contest, snapshot: SeriesSnapshot, asked: Asked) -> QuerySet[Standing]:
    if asked.country:
        rows = rows.filter(player__country=asked.country)
    if asked.tier is not None:
        rows = rows.filter(player_id__in=_in_tier(contest, snapshot, asked.tier))
    return rows


def _in_tier(contest: Contest, snapshot: SeriesSnapshot, tier: Tier) -> QuerySet[RatingChange, int]:
    """Return the ids of those whose rating after the contest is shown in the tier, cut as the shown numbers are."""
    low, high = _bounds(snapshot, tier)
    changes = RatingChange.objects.current().filter(contest=contest).annotate(score=_score(snapshot))
    return changes.filter(score__gte=low, score__lt=high).values_list("player_id", flat=True)


def _bounds(snapshot: SeriesSnapshot, tier: Tier) -> tuple[float, float]:
    """Return the least score of a tier and that of the next one, both finite: not all databases know infinity."""
    number = list(snapshot.tiers).index(tier)
    higher = snapshot.tiers[number + 1] if number + 1 < len(snapshot.tiers) else None
    low = _threshold(snapshot, tier.minimum) if tier.minimum is not None else -_BEYOND
    return low, _threshold(snapshot, higher.minimum) if higher is not None else _BEYOND


def _threshold(snapshot: SeriesSnapshot, points: int) -> float:
    try:
        return max(-_BEYOND, raw_threshold(snapshot.mapping, points))
    except ValueError:  # more points than anybody is ever shown
        return _BEYOND


def _score(snapshot: SeriesSnapshot) -> CombinedExpression:
    """Return mu - k (sigma - sig_limit) as an expression: in the order of `SeriesSnapshot.score`."""
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    k = conservative_factor(scheme.display) if scheme else 0.0
    limit = float(scheme.parameters.get("sig_limit", 0.0)) if scheme else 0.0
    number = FloatField()
    return F("mu") - Value(k, output_field=number) * (F("sigma") - Value(limit, output_field=number))


def _look_for(request: HttpRequest, everybody: QuerySet[Standing], found: Found, asked: Asked) -> None:
    """Open at the player of that handle; where there is none in this contest, show whose names contain it."""
    player = player_of(asked.find)
    standing = everybody.filter(player=player).first() if player is not None else None
    if standing is not None:
        found.player = player
        found.target = found.rows.filter(pk=standing.pk).first() if asked.is_filtered else standing
        found.outside = standing if found.target is None else None
        return
    alike = found.rows.filter(matching(asked.find, "player__")) if key_of(asked.find) else found.rows.none()
    if alike.exists():
        found.rows, found.text = alike, asked.find
    elif player is not None and visible_players(request.user).filter(pk=player.pk).exists():
        found.player = player


def _open_at_rank(found: Found, asked: Asked) -> None:
    """Open at the first row of that place or a later one; beyond the last place, at the last."""
    ranked = found.rows.filter(rank__isnull=False)
    found.target = ranked.filter(rank__gte=asked.rank).order_by(*ORDER).first()
    if found.target is not None:
        return
    found.target = ranked.order_by("-rank", "-place", "-player_id").first()
    if found.target is not None:
        sentence = _("There is no place %(rank)s here; the last one is %(last)s.")
        asked.problems.append(sentence % {"rank": asked.rank, "last": found.target.rank})


def _before(name: str, value: int | None) -> Q:
    """Whether a column's value stands before this one, nothing being the last."""
    return Q(**{f"{name}__lt": value}) if value is not None else Q(**{f"{name}__isnull": False})


def _equal(name: str, value: int | None) -> Q:
    return Q(**{name: value}) if value is not None else Q(**{f"{name}__isnull": True})
