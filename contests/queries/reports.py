"""Reported games, as the players and the organizers of a series see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils import timezone

from contests.models import OPEN_STATES, GameReport, PlayerClaim, ReportState, Series
from contests.queries.visibility import visible_series

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models.contest import SeriesQuerySet


def claims_of(user: User | AnonymousUser) -> QuerySet[PlayerClaim]:
    """Return the claims of an account, with players and communities, by the name of the community."""
    if not user.is_authenticated:
        return PlayerClaim.objects.none()
    found = PlayerClaim.objects.filter(user=user).select_related("player", "community")
    return found.order_by("community__name", "community")


def series_with_reports(user: User, claims: Iterable[PlayerClaim]) -> SeriesQuerySet:
    """Return the series in which the account may report games, by name."""
    communities = [claim.community_id for claim in claims]
    found = visible_series(user).filter(community__in=communities, takes_reports=True)
    return found.select_related("community").order_by("name", "pk")


def reports_to_answer(user: User, claims: Iterable[PlayerClaim]) -> QuerySet[GameReport]:
    """Return the reports that the account can confirm or dispute, oldest first."""
    own = [claim.player_id for claim in claims]
    waiting = _readable(user).filter(opponent__in=own, series__takes_reports=True, state=ReportState.WAITING)
    return waiting.exclude(expires_at__lte=timezone.now()).order_by("created_at", "pk")


def reports_by(user: User) -> QuerySet[GameReport]:
    """Return the reports of the account that someone else has to decide, newest first."""
    found = _readable(user).filter(reported_by=user, state__in=OPEN_STATES).exclude(_is_late())
    return found.order_by("-created_at", "-pk")


def decided_reports(user: User, claims: Iterable[PlayerClaim]) -> QuerySet[GameReport]:
    """Return the decided and expired reports that concern the account, newest first."""
    own = [claim.player_id for claim in claims]
    concerned = Q(reported_by=user) | Q(player__in=own) | Q(opponent__in=own)
    found = _readable(user).filter(concerned, ~Q(state__in=OPEN_STATES) | _is_late())
    return found.order_by(F("answered_at").desc(nulls_last=True), "-pk")


def reports_to_decide(series: Series) -> QuerySet[GameReport]:
    """Return the reports of a series that its organizers can decide: disputed ones first, then the oldest."""
    found = GameReport.objects.filter(series=series, state__in=OPEN_STATES).exclude(_is_late())
    return _with_names(found).order_by("state", "created_at", "pk")


def _is_late() -> Q:
    return Q(state=ReportState.WAITING, expires_at__lte=timezone.now())


def _readable(user: User) -> QuerySet[GameReport]:
    return _with_names(GameReport.objects.filter(series__in=visible_series(user).values("pk")))


def _with_names(reports: QuerySet[GameReport]) -> QuerySet[GameReport]:
    return reports.select_related("series__community", "player", "opponent", "game")
