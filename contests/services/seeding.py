"""Store the generated community of the demo, with the same code as real files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from contests.bulk import analyze_after_commit
from contests.formats.base import ParsedContest, ParsedStanding
from contests.handles import handle_key
from contests.models import Community, Contest, ContestState, Membership, Player, Role, Series
from contests.services.audit import record
from contests.services.communities import create_community, set_role
from contests.services.contests import insert_contest
from contests.services.describing import ContestDescription
from contests.services.standings import PlayerRegister, ranks_of, write_standings
from contests.signals import results_changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User

    from contests.demo import DemoCommunity, DemoContest, DemoSeries


@transaction.atomic(durable=True)
def store_community(
    community: DemoCommunity, *, organizer: User, members: Mapping[str, User] | None = None
) -> list[Series]:
    """
    Store a generated community with its players and series; leave existing series unchanged.

    organizer
        Its owner, who organizes every series.
    members
        Other people by role.
    """
    slug = community.slug or settings.PODIUM_COMMUNITY
    owner = Community.objects.filter(pk=slug).first() or create_community(
        slug, name=community.name, description=community.description
    )
    for role, user in {Role.OWNER: organizer, **(members or {})}.items():
        if not Membership.objects.filter(community=owner, user=user).exists():
            set_role(owner.pk, user, role, actor=organizer)
    Player.objects.bulk_create(
        [
            Player(
                community=owner,
                handle=p.handle,
                handle_key=handle_key(p.handle),
                name=p.name,
                country=p.country,
                affiliation=p.affiliation,
            )
            for p in community.players
        ],
        ignore_conflicts=True,
    )
    register = PlayerRegister(owner.pk)
    return [_store_series(owner, series, organizer, register) for series in community.series]


def _store_series(owner: Community, demo: DemoSeries, organizer: User, register: PlayerRegister) -> Series:
    series, is_new = Series.objects.get_or_create(
        community=owner, slug=demo.slug, defaults={"name": demo.name, "description": demo.description}
    )
    if not is_new:
        return series
    series.organizers.add(organizer)
    for contest in demo.contests:
        _store_contest(series, contest, register)
    record("series.create", subject=f"series {series.slug}", series=series, actor=organizer)
    first = min(contest.ends_at for contest in demo.contests)
    results_changed.send(sender=Contest, series_id=series.pk, since=first, cause="Demo data", actor=organizer)
    analyze_after_commit(sum(len(contest.rows) for contest in demo.contests))
    return series


def _store_contest(series: Series, demo: DemoContest, register: PlayerRegister) -> None:
    rows = [
        ParsedStanding(row.place, row.handle, float(row.score), row.status, "", "", "", _number(row.penalty), number)
        for number, row in enumerate(demo.rows, start=1)
    ]
    description = ContestDescription(
        name=demo.name, ends_at=demo.ends_at, starts_at=demo.starts_at, url=demo.url, weight=demo.weight,
        is_announced=not demo.finalized,
    )  # fmt: skip
    state = ContestState.FINALIZED if demo.finalized else ContestState.DRAFT
    contest = insert_contest(
        series, demo.slug, description, state=state, finalized_at=timezone.now() if demo.finalized else None,
        standing_count=len(rows), content_hash=register.digest(rows) if rows else "",
    )  # fmt: skip
    if rows:
        parsed = ParsedContest(demo.slug, demo.name, rows, ranks_of(rows))
        write_standings(contest, parsed, register)


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
