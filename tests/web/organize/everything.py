"""A series with some of everything that pages list: one of each, or very many."""

from __future__ import annotations

import hashlib
import io
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from PIL import Image

from accounts.models import ApiToken
from contests.bulk import analyze_within
from contests.models import (
    AuditEntry,
    Contest,
    ContestState,
    GameReport,
    Invitation,
    Player,
    PlayerAlias,
    PlayerClaim,
    PlayerMerge,
    Series,
    Standing,
    Upload,
)
from contests.services.communities import set_logo
from contests.services.pictures import set_picture
from contests.uploads.reviewing import review_staged
from contests.uploads.staging import Staged, stage
from ratings.models import Run, RunState, Scheme, StaleMark
from ratings.queries import boards, snapshot
from tests.factories import FIRST_DAY, make_community, make_contest, make_player, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.auth.models import User

    from contests.models import Community

#: Part of every name in the series, so that a page that reveals any of it is noticed.
MARK = "Confidential"
#: Players of each contest beyond the size: so many that some rise, some fall, and some change their tier.
FEW = 9
TOKEN = "an-invitation-that-nobody-has-used-so-far"


@dataclass(frozen=True)
class World:
    """
    The rows that were made, by the names used in addresses.

    final, draft, deleted
        Contests in each state; the first two have as many rows as was asked for.
    player, other, merged, merge
        A player of the series with other names, one who was in none of its contests, a player who was merged into
        the first, and that merge.
    upload, staged
        A file that the draft could have come from, and one that is under review for it.
    older, newer
        Numbers of two published runs.
    """

    series: Series
    organizer: User
    final: Contest
    draft: Contest
    deleted: Contest
    upload: Upload
    staged: Staged
    player: Player
    other: Player
    merged: Player
    merge: PlayerMerge
    invitation: Invitation
    older: int
    newer: int

    @property
    def claim(self) -> PlayerClaim:
        return PlayerClaim.objects.order_by("id")[0]

    @property
    def report(self) -> GameReport:
        return self.series.reports.order_by("id")[0]

    @property
    def duel(self) -> Contest:
        """A contest of two players."""
        return self.series.contests.get(name=f"{MARK} third")

    @property
    def standing(self) -> Standing:
        return self.final.standings.order_by("id")[0]

    @property
    def colleague(self) -> User:
        """Another organizer of the series."""
        return self.series.organizers.exclude(pk=self.organizer.pk).order_by("id")[0]

    @property
    def member(self) -> User:
        """An owner of the community."""
        return get_user_model().objects.get(username="olga")

    @property
    def api_token(self) -> ApiToken:
        return self.series.community.api_tokens.order_by("id")[0]

    @property
    def run(self) -> Run:
        return self.series.runs.get(number=self.newer)


def build_world(size: int = 1, *, public: bool = True) -> World:
    """Make a series that has `size` of everything, and its organizer `size` of such series."""
    organizer = make_user("ida")
    make_community(owner=make_user("olga"))
    set_logo("main", _logo())
    set_picture(make_player("p1").pk, _logo())
    series = make_series("harbour-cup", organizer=organizer, name=f"{MARK} Cup", is_public=public, takes_reports=True)
    rows = [(f"p{place}", place) for place in range(1, size + FEW)]
    turned = [(handle, size + FEW - place) for handle, place in rows]
    final = make_contest(series, standings=rows, name=f"{MARK} final", day=0)
    older = rate(series)
    make_contest(series, standings=turned, name=f"{MARK} second", day=1)
    make_contest(series, standings=[("lonely", 1), ("alone", 2)], name=f"{MARK} third", day=1)
    _add_runs(series, organizer, size)
    newer = rate(series)
    deleted = make_contest(
        series, standings=[("p1", 1)], name=f"{MARK} deleted", day=2, state=ContestState.DELETED, finalized=False
    )
    draft = make_contest(series, standings=turned, name=f"{MARK} draft", day=3, finalized=False)
    _add_contests(series, size)
    upload = _add_upload(series)
    player = make_player("p1")
    merge = _add_identities(player, organizer, size)
    _add_records(series, final, player, organizer, size)
    _add_api_tokens(series.community, organizer, size)
    _add_claims(series, size)
    _add_neighbours(series, organizer, size)
    # A site analyzes its tables after a commit of many rows. Here nothing is committed, and without statistics
    # PostgreSQL may choose plans that take minutes on a busy machine.
    analyze_within(*apps.get_models())
    assert older is not None
    assert newer is not None
    staged, other = _stage(draft, organizer, size), make_player("lonely")
    return World(
        series, organizer, final, draft, deleted, upload, staged, player, other, merge.merged, merge,
        series.invitations.order_by("id")[0], older.number, newer.number,
    )  # fmt: skip


def _add_runs(series: Series, actor: User, size: int) -> None:
    """Failed runs, and identical versions of the scheme, numbered as if they had been made over time."""
    first = series.runs.get()
    series.schemes.model.objects.bulk_create(
        Scheme(series=series, version=first.scheme.version + i, system=first.scheme.system, created_by=actor,
               parameters=first.scheme.parameters, display=first.scheme.display, tiers=first.scheme.tiers)
        for i in range(1, size + 1)
    )  # fmt: skip
    scheme = series.schemes.order_by("-version")[0]
    Run.objects.bulk_create(
        Run(series=series, number=first.number + i, scheme=scheme, state=RunState.FAILED, cause=f"{MARK} cause",
            actor=actor, error="The worker stopped.")
        for i in range(1, size + 1)
    )  # fmt: skip


def _add_contests(series: Series, size: int) -> None:
    """Contests in each state besides those with many rows, and files that nothing was made from."""
    now = timezone.now()
    Contest.objects.bulk_create(
        Contest(series=series, slug=f"{state}-{i}", name=f"{MARK} {state} {i}", state=state, finalized_at=now,
                ends_at=FIRST_DAY + timedelta(days=10, hours=i), is_rated=False)
        for state in ContestState.values
        for i in range(size)
    )  # fmt: skip
    Upload.objects.bulk_create(
        Upload(series=series, sha256=hashlib.sha256(str(i).encode()).hexdigest(), filename=f"{MARK} {i}.csv", size=i,
               format="csv", file="uploads/gone")
        for i in range(size)
    )  # fmt: skip


def _add_upload(series: Series) -> Upload:
    content = b"rank,handle\n1,p1\n2,p2\n"
    digest = hashlib.sha256(content).hexdigest()
    upload = Upload(series=series, sha256=digest, filename=f"{MARK}.csv", size=len(content), format="csv")
    upload.file.save(digest, ContentFile(content))
    return upload


def _stage(draft: Contest, organizer: User, size: int) -> Staged:
    """A file under review: known players, new ones with names close to theirs, and countries that do not exist."""
    rows = [(f"p{i}", "DE") for i in range(1, size + 1)] + [(f"stranger{i}", "XX") for i in range(size)]
    text = "rank,handle,country\n" + "".join(f"{n},{handle},{c}\n" for n, (handle, c) in enumerate(rows, 1))
    staged = stage(ContentFile(text.encode()), filename=f"{MARK}.csv", contest=draft, actor=organizer)
    review_staged(staged)
    return staged


def _add_identities(player: Player, actor: User, size: int) -> PlayerMerge:
    """Other names of the player, and players who turned out to be the same person."""
    PlayerAlias.objects.bulk_create(
        PlayerAlias(community_id="main", handle=f"alias{i}", handle_key=f"alias{i}", player=player) for i in range(size)
    )
    Player.objects.bulk_create(
        Player(community_id="main", handle=f"was{i}", handle_key=f"was{i}", merged_into=player) for i in range(size)
    )
    merged = Player.objects.filter(merged_into=player).order_by("id")
    PlayerMerge.objects.bulk_create(
        PlayerMerge(kept=player, merged=each, reason="one person", actor=actor) for each in merged
    )
    return PlayerMerge.objects.filter(kept=player).order_by("id")[0]


def _add_records(series: Series, contest: Contest, player: Player, actor: User, size: int) -> None:
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=actor, action=action, subject=f"{MARK} subject", reason=f"{MARK} reason", **about)
        for about in ({"series": series}, {"series": series, "contest": contest}, {"series": series, "player": player})
        for action in ("contest.describe",)
        for _ in range(size)
    )
    tomorrow = timezone.now() + timedelta(days=1)
    Invitation.objects.bulk_create(
        Invitation(community=series.community, series=series, token_hash=_digest(TOKEN if i == 0 else f"{TOKEN}-{i}"),
                   note=f"{MARK} note", created_by=actor, expires_at=tomorrow)
        for i in range(size)
    )  # fmt: skip


def _add_api_tokens(community: Community, actor: User, size: int) -> None:
    """Tokens that work, and as many that have been revoked."""
    ApiToken.objects.bulk_create(
        ApiToken(community=community, name=f"{MARK} token {i}", prefix=f"{i:08}", hashed_key="sha512$$0",
                 created_by=actor, revoked_at=timezone.now() if i >= size else None)
        for i in range(2 * size)
    )  # fmt: skip


def _add_claims(series: Series, size: int) -> None:
    """Accounts of players other than the first, and games that one of them has reported."""
    for i in range(2, size + 2):
        PlayerClaim.objects.create(
            community=series.community, player=make_player(f"p{i}"), user=make_user(f"account{i}", password=None)
        )
    reporter, opponent, now = make_player("p2"), make_player("p3"), timezone.now()
    GameReport.objects.bulk_create(
        GameReport(
            series=series, player=reporter, opponent=opponent, outcome=1, day=now.date(), note=f"{MARK} note",
            reported_by=PlayerClaim.objects.get(player=reporter).user, created_at=now,
        )
        for _ in range(size)
    )  # fmt: skip


def _add_neighbours(series: Series, organizer: User, size: int) -> None:
    """Other organizers of the series, and other series of its organizer, which wait to be rated."""
    users = get_user_model().objects
    users.bulk_create(get_user_model()(username=f"colleague{i}", password="!") for i in range(size))
    series.organizers.add(*users.filter(username__startswith="colleague"))
    Series.objects.bulk_create(Series(community_id="main", slug=f"other-{i}", name=f"Other {i}") for i in range(size))
    others = list(Series.objects.filter(slug__startswith="other-"))
    organizer.organized_series.add(*others)
    StaleMark.objects.bulk_create(
        StaleMark(series=other, since=FIRST_DAY, cause="a cause", actor=organizer) for other in others
    )


def _logo() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), "navy").save(file, "PNG")
    return file.getvalue()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def undone() -> Iterator[None]:
    """Undo all changes to the database, including those of services that need the outermost transaction."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # as Django's own test cases call their outermost one
    with block:
        yield
        transaction.set_rollback(True)
    cache.clear()
    snapshot._kept.cache_clear()
    boards._kept.cache_clear()


#: The apps whose tables hold what people have entered: contests, ratings and accounts.
APPS = ("contests", "ratings", "auth", "account", "mfa", "socialaccount", "accounts")


def everything_stored() -> dict[str, Any]:
    """
    Return the content of all tables of contests, ratings and accounts, for comparing before and after.

    Signing in leaves a session, the time, and an entry in the audit log, which gets its place in the chain later.
    """
    tables: dict[str, Any] = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.app_label in APPS and model._meta.label != "auth.Permission":
            columns = [field.attname for field in model._meta.concrete_fields if field.attname != "last_login"]
            tables[model._meta.label] = sorted(map(repr, model._base_manager.values_list(*columns)))
    others = AuditEntry.objects.exclude(action__startswith="account.sign_")
    columns = ["id", "actor", "action", "subject", "reason", "before", "after"]
    tables["contests.AuditEntry"] = sorted(map(repr, others.values_list(*columns)))
    return tables


def changed_tables(before: dict[str, Any]) -> list[str]:
    """Return the names of the tables with other content than before."""
    return [name for name, rows in everything_stored().items() if rows != before[name]]
