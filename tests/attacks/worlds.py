"""A public site with accounts of outsiders and members, and private content of every kind, made from a plan."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.utils import timezone
from hypothesis import strategies as st

from accounts.models import ApiToken
from accounts.tokens import create_token
from contests.errors import ContestError
from contests.formats import ParseError, read_contests
from contests.handles import handle_key
from contests.models import (
    Community,
    Contest,
    ContestState,
    GameReport,
    Player,
    PlayerClaim,
    PlayerMerge,
    Series,
    Standing,
    Visibility,
)
from contests.queries.visibility import visible_players
from contests.services.communities import create_community, set_logo, set_role
from contests.services.contests import create_contest, delete_contest, finalize_contest, restore_contest, save_standings
from contests.services.correcting import Correction, correct_standing
from contests.services.describing import ContestDescription
from contests.services.merging import merge_players, split_players
from contests.services.organizers import invite, invite_member
from contests.services.pictures import set_picture
from contests.services.renaming import PlayerDescription, add_alias, describe_player, rename_player
from contests.services.series import create_series, describe_series
from contests.uploads.reviewing import review_staged
from contests.uploads.staging import stage
from ratings.models import Scheme
from ratings.publishing.schemes import choose_scheme
from tests.attacks.routes import Things
from tests.factories import FIRST_DAY, make_community, make_contest, make_series, make_user, rate, roll_back
from tests.web.organize.community.test_logo import picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User

#: Names of players with public results.
PUBLIC = ("ann", "bob", "cleo", "Dan-Brown", "eve_adams")
#: A word that only private content contains; no response to an outsider has it.
MARK = "Kryptonite"
#: Possible names of private content: unique ones, those of public things, and some that look like markup or a path.
HANDLES = (
    "zoltan", "Xenia-Quill", "wolfgang_v", "Y.Jeong", *PUBLIC, "ANN", "bobert", "annie", "cleo-2", "draft-only", "nils",
    "аnn", "<b>zoltan</b>", "=1+1", "a/b", "../../main", "%2Fann", "series", "0", "null", "z" * 100, "Зоя", "张三",
)  # fmt: skip
SLUGS = ("cup", "hidden-cup", "quiet-cup", "own", "players", "new", "a_b", "0", "x" * 60)
NAMES = (MARK, f"{MARK} Cup", "Cup", "Contest 1", "<script>", "=1+1", "Ann", "Zoltan’s", "main")
STATES = ("draft", "announced", "final", "unrated", "deleted", "deleted draft", "restored")


@dataclass(frozen=True)
class ContestPlan:
    """A contest with its players from first to last; `out` is the place of one who is disqualified later, or 0."""

    name: str
    state: str
    day: int
    handles: tuple[str, ...]
    out: int = 0


@dataclass(frozen=True)
class SeriesPlan:
    """A series of private contests."""

    slug: str
    name: str
    contests: tuple[ContestPlan, ...]


@dataclass(frozen=True)
class Plan:
    """
    Private content: of a private community, or of private series in the public community "main".

    changes
        What is done afterwards: names in `Secrets.CHANGES`, each with the number of a player or series to change.
    """

    is_own: bool
    name: str
    series: tuple[SeriesPlan, ...]
    changes: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Site:
    """
    The public site and its accounts.

    eve
        An outsider: the owner of the community "eves".
    ida
        Becomes the owner of what is private.
    """

    eve: User
    ida: User
    cup: Series
    own: Series
    draft: Contest

    def things(self) -> list[Things]:
        """Return what outsiders may know of: all of "main", something of the others, and what does not exist."""
        everyone = ("ann", "annie", "cleo-2", "draft-only")
        return [
            things_of("main", ("cup",), everyone),
            things_of("quiet", ("quiet-cup",), ("nils",), contests=1),
            Things("nowhere", ("cup",), ("ann",)),
        ]

    def own_things(self) -> Things:
        """Return what the outsider owns."""
        return things_of("eves", ("own", "own-secret"), ("zoltan", "ann"))


def things_of(community: str, slugs: tuple[str, ...], handles: tuple[str, ...], contests: int | None = None) -> Things:
    """Return the things of these series, with one contest in each state, and of these players."""
    rows = Contest.objects.filter(series__community=community, series__slug__in=slugs)
    by_state = {(row.state, row.is_announced): row.pk for row in rows.order_by("pk")}
    players = Player.objects.filter(community=community, handle__in=handles)
    series = Series.objects.filter(community=community, slug__in=slugs)
    found: dict[str, Any] = {
        "contests": sorted(by_state.values())[:contests],
        "players": sorted(players.values_list("pk", flat=True)),
        "standings": [row.pk for row in Standing.objects.filter(contest__in=by_state.values()).order_by("pk")[:1]],
        "merges": [row.pk for row in PlayerMerge.objects.filter(merged__community=community).order_by("pk")[:1]],
        "invitations": [row.invitations.order_by("pk")[0].pk for row in series if row.invitations.exists()],
        "tokens": [row.pk for row in ApiToken.objects.filter(community=community).order_by("pk")[:1]],
        "reports": [row.pk for row in GameReport.objects.filter(series__in=series).order_by("pk")[:1]],
        "members": [row.user_id for row in Community.objects.get(pk=community).memberships.order_by("pk")[:1]],
    }
    uploads = [row.uploads.filter(token__gt="").values_list("token", flat=True) for row in series]
    return Things(
        community, slugs, handles, found, list(Scheme.objects.filter(series__in=series).values_list("pk", flat=True)),
        [token for tokens in uploads for token in tokens], Community.objects.get(pk=community).logo or "0" * 16,
        [player.picture or "0" * 16 for player in players.order_by("pk")],
    )  # fmt: skip


def build_site() -> Site:
    """Make a listed community with contests in each state, an unlisted one, a listed one, and that of the outsider."""
    eve, ida = make_user("eve", email="eve@example.org"), make_user("ida", email="ida@example.org")
    make_community("main", owner=make_user("olga"))
    cup = make_series("cup", description="For everyone")
    for day in range(5):
        rows = [(handle, (place + day) % len(PUBLIC) + 1) for place, handle in enumerate(PUBLIC)]
        make_contest(cup, standings=rows, day=day)
    rate(cup)
    deleted = make_contest(cup, standings=[("ann", 1), ("bob", 2)], day=8)
    delete_contest(deleted.pk, reason="entered twice")
    make_contest(cup, standings=[("ann", 1), ("draft-only", 2)], day=9, finalized=False, is_announced=True)
    make_contest(cup, standings=[("ann", 1), ("draft-only", 2)], day=9, finalized=False)
    add_alias(_id("ann"), handle="annie")
    rename_player(_id("bob"), handle="bobert")
    describe_player(_id("cleo"), description=PlayerDescription("Cleo Young", "EG", "Harbour School"))
    make_contest(cup, standings=[("cleo-2", 1), ("ann", 2)], day=10, is_rated=False)
    merge_players(_id("cleo"), _id("cleo-2"), reason="the same person")
    rate(cup)
    for community, visibility in (("quiet", Visibility.UNLISTED), ("north", Visibility.PUBLIC)):
        make_community(community, visibility=visibility)
        other = make_series(f"{community}-cup", community=community)
        make_contest(other, standings=[("ann", 1), ("nils", 2), ("ole", 3)], day=2)
        rate(other)
    make_community("eves", owner=eve, name="Eve’s Club")
    own = make_series("own", community="eves", organizer=eve)
    make_contest(own, standings=[("zoltan", 1), ("ann", 2), ("Xenia", 3)], day=3)
    own_secret = make_series("own-secret", community="eves", is_public=False)
    make_contest(own_secret, standings=[("zoltan", 1), ("yuri", 2)])
    for series in (own, own_secret):
        rate(series)
    invite(own.pk, note="for Bo", actor=eve)
    create_token("eves", name="board", lifetime=None, actor=eve)
    draft = make_contest(own, standings=[("zoltan", 1)], day=4, finalized=False)
    staged = stage(ContentFile(sheet(HANDLES)), filename="own.csv", contest=draft, actor=eve)
    review_staged(staged)
    return Site(eve, ida, cup, own, draft)


def sheet(handles: tuple[str, ...]) -> bytes:
    """Return standings as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["rank", "handle", "name", "country"])
    writer.writerows([place, handle, f"{MARK} Person", "NO"] for place, handle in enumerate(handles, 1))
    return text.getvalue().encode()


def _id(handle: str, community: str = "main") -> int:
    return Player.objects.get(community=community, handle=handle).pk


class Secrets:
    """Uses the services to make what a plan describes; what they refuse is left out."""

    def __init__(self, plan: Plan, site: Site) -> None:
        self.plan, self.actor = plan, site.ida
        self.community = "main"
        if plan.is_own:
            self.community = create_community(
                "vault", name=plan.name, visibility=Visibility.PRIVATE, actor=site.ida, description=MARK
            ).pk
        self.series: list[Series] = []

    def build(self) -> Secrets:
        """Make all of it."""
        for series in self.plan.series:
            self._tried(lambda series=series: self._add_series(series))
        for made in self.series:
            rate(made)
        for name, number in self.plan.changes:
            self._tried(lambda name=name, number=number: self.CHANGES[name](self, number))
        for made in self.series:
            rate(made)
        return self

    def things(self) -> Things:
        """Return what has been made, for those who could guess every address of it."""
        slugs = tuple(made.slug for made in self.series[:2])
        players = [player.handle for player in self._players()]
        return things_of(self.community, slugs or ("cup",), tuple(players[:2]) or ("zoltan",))

    def _tried(self, act: Callable[[], Any]) -> None:
        with suppress(ContestError, ParseError):  # then nothing is stored
            act()

    def _add_series(self, plan: SeriesPlan) -> None:
        made = create_series(
            plan.slug, community=self.community, name=plan.name, is_public=self.plan.is_own, actor=self.actor
        )
        self.series.append(made)
        for contest in plan.contests:
            self._tried(lambda contest=contest: self._add_contest(made, contest))

    def _add_contest(self, series: Series, plan: ContestPlan) -> None:
        said = ContestDescription(
            plan.name, FIRST_DAY + timedelta(days=plan.day), is_announced=plan.state in ("announced", "deleted"),
            is_rated=plan.state != "unrated", url="https://secret.example.org/",
        )  # fmt: skip
        contest = create_contest(series.pk, description=said, actor=self.actor)
        parsed = read_contests(sheet(plan.handles), filename="standings.csv")[0]
        save_standings(contest.pk, parsed=parsed, actor=self.actor)
        if plan.state in ("final", "unrated", "deleted", "restored"):
            finalize_contest(contest.pk, actor=self.actor)
            if plan.out:
                row = contest.standings.order_by("place")[(plan.out - 1) % len(plan.handles)]
                self._tried(lambda: correct_standing(row.pk, correction=Correction("disqualified"), reason=MARK))
        if plan.state in ("deleted", "deleted draft", "restored"):
            delete_contest(contest.pk, reason=MARK, actor=self.actor)
        if plan.state == "restored":
            restore_contest(contest.pk, reason=MARK, actor=self.actor)

    def _players(self) -> list[Player]:
        """Return the players whom no one knows from public results; their names are private."""
        known = visible_players(AnonymousUser()).values("pk")
        own = Player.objects.existing().filter(standings__contest__series__in=self.series).exclude(pk__in=known)
        return list(own.distinct().order_by("pk"))

    def _player(self, number: int) -> Player:
        players = self._players()
        if not players:
            raise ContestError("no one to change")
        return players[number % len(players)]

    def _a_series(self, number: int) -> Series:
        if not self.series:
            raise ContestError("nothing to change")
        return self.series[number % len(self.series)]

    def _rename(self, number: int) -> None:
        rename_player(self._player(number).pk, handle=f"{MARK}-{number}", actor=self.actor)

    def _take_a_public_name(self, number: int) -> None:
        add_alias(
            self._player(number).pk, handle=("tourist", "nils", "Ann", "bob", "zoe")[number % 5], actor=self.actor
        )

    def _describe(self, number: int) -> None:
        said = PlayerDescription(f"{MARK} Smith", "DE", f"{MARK} School")
        describe_player(self._player(number).pk, description=said, actor=self.actor)

    def _set_picture(self, number: int) -> None:
        set_picture(self._player(number).pk, picture(100, 100), actor=self.actor)

    def _merge(self, number: int) -> PlayerMerge:
        kept, merged = self._player(number), self._player(number + 1)
        return merge_players(kept.pk, merged.pk, reason=MARK, actor=self.actor)

    def _merge_and_split(self, number: int) -> None:
        split_players(self._merge(number).pk, reason=MARK, actor=self.actor)

    def _merge_into_a_public_player(self, number: int) -> None:
        known = Player.objects.filter(community=self.community, handle_key=handle_key(PUBLIC[number % len(PUBLIC)]))
        merge_players(known[0].pk if known else 0, self._player(number).pk, reason=MARK, actor=self.actor)

    def _name_a_public_player(self, number: int) -> None:
        series = self._a_series(number)
        player = Player.objects.filter(community=self.community, handle="Dan-Brown").first()
        if player is not None:
            add_alias(player.pk, handle=f"{MARK}-alias", series_id=series.pk, actor=self.actor)

    def _delete_all(self, number: int) -> None:
        for contest in self._a_series(number).contests.exclude(state=ContestState.DELETED):
            delete_contest(contest.pk, reason=MARK, actor=self.actor)

    def _roll_back(self, number: int) -> None:
        roll_back(self._a_series(number).pk, 1, reason=MARK, actor=self.actor)

    def _choose_scheme(self, number: int) -> None:
        choose_scheme(self._a_series(number).pk, system=("glicko2", "elo", "trueskill")[number % 3], actor=self.actor)

    def _describe_series(self, number: int) -> None:
        series = self._a_series(number)
        describe_series(series.pk, name=f"{MARK} {number}", description=MARK, is_public=self.plan.is_own)

    def _stage(self, number: int) -> None:
        draft = self._a_series(number).contests.filter(state=ContestState.DRAFT).first()
        if draft is not None:
            content = ContentFile(sheet(("zoltan", "ann", f"{MARK}-{number}")))
            review_staged(stage(content, filename=f"{MARK}.csv", contest=draft, actor=self.actor))

    def _add_people(self, number: int) -> None:
        series = self._a_series(number)
        invite(series.pk, note=MARK, actor=self.actor)
        if self.plan.is_own:
            invite_member(self.community, role="viewer", note=MARK, actor=self.actor)
            set_role(self.community, make_user(f"{MARK}{number}"), "viewer", actor=self.actor)
            set_logo(self.community, picture(), actor=self.actor)
            create_token(self.community, name=f"{MARK}-{number}", lifetime=None, actor=self.actor)

    def _report(self, number: int) -> None:
        """Link someone's account to a player, and report a game of that player."""
        player, other, series = self._player(number), self._player(number + 1), self._a_series(number)
        if player == other:
            raise ContestError("no one to play against")
        user, now = make_user(f"{MARK}-player-{get_user_model().objects.count()}"), timezone.now()
        PlayerClaim.objects.get_or_create(player=player, defaults={"community_id": self.community, "user": user})
        GameReport.objects.create(
            series=series, player=player, opponent=other, outcome=1, day=now.date(), note=MARK, reported_by=user,
            created_at=now,
        )  # fmt: skip

    CHANGES: dict[str, Callable[[Secrets, int], Any]] = {
        "rename": _rename, "alias": _take_a_public_name, "describe": _describe, "merge": _merge,
        "split": _merge_and_split, "merge into public": _merge_into_a_public_player,
        "alias of public": _name_a_public_player, "delete all": _delete_all, "roll back": _roll_back,
        "scheme": _choose_scheme, "describe series": _describe_series, "stage": _stage, "people": _add_people,
        "report": _report, "picture": _set_picture,
    }  # fmt: skip


def plans(*, is_own: bool) -> st.SearchStrategy[Plan]:
    """Return private content of any size, from nothing to several series whose names are those of public things."""
    contests = st.builds(
        ContestPlan, st.sampled_from(NAMES), st.sampled_from(STATES), st.integers(0, 4000),
        st.lists(st.sampled_from(HANDLES), min_size=2, max_size=6, unique_by=handle_key).map(tuple), st.integers(0, 3),
    )  # fmt: skip
    series = st.builds(
        SeriesPlan, st.sampled_from(SLUGS), st.sampled_from(NAMES), st.lists(contests, max_size=4).map(tuple)
    )
    changes = st.tuples(st.sampled_from(sorted(Secrets.CHANGES)), st.integers(0, 9))
    return st.builds(
        Plan, st.just(is_own), st.sampled_from(NAMES),
        st.lists(series, max_size=3, unique_by=lambda one: one.slug).map(tuple),
        st.lists(changes, max_size=6).map(tuple),
    )  # fmt: skip


def full_plan(*, is_own: bool) -> Plan:
    """Return private content with everything in it."""
    rows = ("zoltan", "ann", "Xenia-Quill", "bobby", "nils", "<b>zoltan</b>")
    contests = tuple(ContestPlan(f"{MARK} {state}", state, 20 * day, rows, 1) for day, state in enumerate(STATES))
    hidden = SeriesPlan("hidden-cup", f"{MARK} Cup", contests)
    same = SeriesPlan("cup", "Cup", contests[1:4])
    changes = (
        "people", "report", "stage", "scheme", "picture", "merge", "alias of public", "merge into public", "describe",
        "rename", "alias", "split", "describe series", "roll back",
    )  # fmt: skip
    return Plan(is_own, f"{MARK} Club", (hidden, same), tuple((name, 0) for name in changes))
