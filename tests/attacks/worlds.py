"""A public site, and private content of every kind, generated from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from contests.formats import read_contests
from contests.models import Community, Player, Visibility
from contests.services.communities import describe_community
from contests.services.contests import (
    ContestDescription,
    create_contest,
    delete_contest,
    finalize_contest,
    save_standings,
)
from contests.services.merging import merge_players
from contests.services.renaming import PlayerDescription, add_alias, describe_player, rename_player
from contests.services.series import create_series
from tests.factories import FIRST_DAY, make_community, make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from contests.models import Contest, Series

#: Names of players with public results, and of players without.
PUBLIC = ("ann", "bob", "cleo", "Dan-Brown", "eve_adams")
SECRET = ("zoltan", "Xenia-Quill", "bobby", "anna", "wolfgang_v", "Y.Jeong")
#: Words that only private content contains; no response to an outsider has them.
MARK = "Kryptonite"
#: Slugs of what the generator makes.
VAULT, HIDDEN = "vault", "hidden-cup"


def build_public_site() -> None:
    """Make a listed community with rated, announced and deleted contests, an unlisted one, and another listed one."""
    make_community("main")
    cup = make_series("cup", description="For everyone")
    for day in range(7):
        rows = [(handle, (place + day) % len(PUBLIC) + 1) for place, handle in enumerate(PUBLIC)]
        make_contest(cup, standings=rows, day=day)
    rate(cup)
    deleted = make_contest(cup, standings=[("ann", 1), ("bob", 2)], day=8)
    delete_contest(deleted.pk, reason="entered twice")
    rate(cup)
    make_contest(cup, standings=[("ann", 1), ("draft-only", 2)], day=9, finalized=False, is_announced=True)
    add_alias(Player.objects.get(handle="ann").pk, handle="annie")
    rename_player(Player.objects.get(handle="bob").pk, handle="bobert")
    describe_player(
        Player.objects.get(handle="cleo").pk, description=PlayerDescription("Cleo Young", "EG", "Harbour School")
    )
    make_contest(cup, standings=[("cleo-2", 1), ("ann", 2)], day=10, is_rated=False)
    merge_players(_id("cleo"), _id("cleo-2"), reason="the same person")
    rate(cup)
    for community, visibility in (("quiet", Visibility.UNLISTED), ("north", Visibility.PUBLIC)):
        make_community(community, visibility=visibility)
        other = make_series(f"{community}-cup", community=community)
        make_contest(other, standings=[("ann", 1), ("nils", 2), ("ole", 3)], day=2)
        rate(other)


def _id(handle: str, community: str = "main") -> int:
    return Player.objects.get(community=community, handle=handle).pk


@dataclass
class Secrets:
    """Makes private content: in a private community, or in a private series of the public one."""

    seed: int
    community: str
    actor: User | None = None
    series: list[Series] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.actor = make_user(f"keeper{self.seed}")

    def build(self) -> None:
        """Make series with contests in each state, and change players in every way."""
        if self.community != "main" and not Community.objects.filter(pk=self.community).exists():
            # Not with an ending that nobody can guess, so that guesses hit it.
            make_community(
                self.community, name=f"{MARK} Club", visibility=Visibility.PRIVATE, owner=self.actor,
                description=f"{MARK} members",
            )  # fmt: skip
        for slug in (HIDDEN, "cup") if self.community != "main" else (HIDDEN,):
            made = create_series(
                slug, community=self.community, name=f"{MARK} {slug}", is_public=False, actor=self.actor
            )
            self.series.append(made)
            for number in range(self.random.randint(3, 5)):
                self.contest(made, number)
            rate(made)
        self.change_players()
        for made in self.series:
            rate(made)

    def contest(self, series: Series, number: int) -> Contest:
        """Make a draft, an announced draft, or a finalized or deleted contest."""
        day = FIRST_DAY + timedelta(days=self.random.randint(0, 4000))
        said = ContestDescription(f"{MARK} {number}", day, is_announced=self.random.random() < 0.7)
        contest = create_contest(series.pk, description=said, actor=self.actor)
        names = [*self.random.sample(PUBLIC, 3), *self.random.sample(SECRET, 4)]
        lines = [f"{place},{handle},{MARK} Person,NO" for place, handle in enumerate(names, 1)]
        parsed = read_contests("\n".join(["rank,handle,name,country", *lines]).encode(), filename="standings.csv")[0]
        save_standings(contest.pk, parsed=parsed, actor=self.actor)
        # The first two are finalized, so that ratings and merges have something to work on.
        choice = "final" if number < 2 else self.random.choice(["draft", "final", "deleted", "deleted draft"])
        if choice in ("final", "deleted"):
            finalize_contest(contest.pk, actor=self.actor)
        if choice.startswith("deleted"):
            delete_contest(contest.pk, reason=f"{MARK} reason", actor=self.actor)
        return contest

    def change_players(self) -> None:
        """Rename, describe and merge players whom nobody knows from public results."""
        own = list(Player.objects.filter(community=self.community, handle__in=SECRET).order_by("handle"))
        self.random.shuffle(own)
        add_alias(own[0].pk, handle="tourist", actor=self.actor)
        rename_player(own[0].pk, handle=f"{MARK}-one", actor=self.actor)
        describe_player(own[1].pk, description=PlayerDescription(f"{MARK} Smith", "DE", f"{MARK} School"))
        loner = make_contest(self.series[0], standings=[("ghost", 1), ("phantom", 2)])
        merge_players(own[1].pk, _id("ghost", self.community), reason=f"{MARK} reason", actor=self.actor)
        delete_contest(loner.pk, reason="gone", actor=self.actor)


def open_vault(slug: str = VAULT, visibility: str = Visibility.PUBLIC) -> None:
    """Change who may read a community."""
    community = Community.objects.get(pk=slug)
    describe_community(slug, name=community.name, description=community.description, visibility=visibility)
