"""A small site with everything on it that a page can show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote

from django.contrib.auth import get_user_model
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from accounts.tokens import create_token
from contests.changes.base import token_of
from contests.changes.of_contests import DeleteContest, FinalizeContest
from contests.changes.of_standings import CorrectStandings
from contests.models import Contest, GameReport, PlayerClaim, Series
from contests.services.communities import set_role
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.events import GameEntry, add_game
from contests.services.merging import merge_players
from contests.uploads.reviewing import review_staged
from contests.uploads.staging import stage
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from web.shared.params import SeriesPath

REVIEWED = "rank,handle,shoe size\n1,ann,41\n2,bob,40\n3,b_ob,39\n4,<b>new</b>,38\n"
PASSWORD = "correct-horse-battery"
HANDLES = [
    "ann",
    "bob",
    "Zoë",
    "李明",
    "أمينة",
    "<b>bold</b>",
    "=cmd()",
    "a_very_long_handle_that_does_not_fit_on_phones_at_all_1234567890",
]
LONG_NAME = "Maria da Conceição Albuquerque de Almeida e Vasconcelos dos Santos"


@dataclass(frozen=True)
class Site:
    """The content of the site, and the addresses of its pages by name."""

    organizer: Any
    series: Series
    contest: Contest
    draft: Contest
    public: dict[str, str]
    organizing: dict[str, str]


def build_site() -> Site:
    organizer = make_user("olga", password=PASSWORD)
    set_role(make_community(owner=organizer).pk, make_user("vic"), "viewer")
    series = make_series("harbour-cup", organizer=organizer, description="Every other Saturday, for everyone.")
    handles = HANDLES + [f"p{i}" for i in range(112)]
    for number, handle in enumerate(handles):
        make_player(handle, country=("DE", "JP", "", "BR")[number % 4], name="Someone" if number % 3 else "")
    make_player("maria", name=LONG_NAME, country="BR")
    handles.append("maria")
    contests = []
    for number in range(6):
        order = handles[number * 7 :] + handles[: number * 7]
        rows = [(handle, place - place % 2 + 1, 1000.0 - 10 * (place // 2)) for place, handle in enumerate(order)]
        contests.append(make_contest(series, standings=rows, day=14 * number, name=f"Round {number + 1}"))
    rate(series)
    first = contests[1].standings.get(player__handle="bob")
    out = Correction(status="disqualified", score=first.score)
    correct_standing(first.pk, correction=out, reason="two accounts", actor=organizer)
    deleted = make_contest(series, players=4, day=90, name="Cancelled round")
    delete_contest(deleted.pk, reason="server failure", actor=organizer)
    rate(series)
    choose_scheme(series.pk, leagues={"assignment": "moving_average"}, season={"length": "year"})
    derive_series(series.pk)
    draft = make_contest(
        series, standings=[("ann", 2), ("bob", 1), ("newcomer", 3)], day=100, finalized=False, name="Round 7"
    )
    fermi = make_series("night-relay", organizer=organizer)
    choose_scheme(fermi.pk, display={"mapping": "fermi", "range": 10000})
    make_contest(fermi, standings=[("ann", 1), ("bob", 2), ("Zoë", 3)], name="Night 1")
    rate(fermi)
    make_series("not-yet", organizer=organizer)
    # A contest of one player rates no one.
    make_contest(make_series("solo-sail"), standings=[("onlooker", 1)], name="Solo 1")
    return Site(
        organizer, series, contests[1], draft, _public(series, contests, deleted), _organizing(series, contests, draft)
    )


def _public(series: Series, contests: list[Contest], deleted: Contest) -> dict[str, str]:
    leaderboard = reverse("leaderboard", args=[series])
    return {
        "home": reverse("home"),
        "contest, a knock-out": _knock_out().get_absolute_url(),
        "contest, games of a day": _knock_out(rounds=("", "")).get_absolute_url(),
        "series-list": reverse("series-list"),
        "series": reverse("series", args=[series]),
        "series without contests": reverse("series", args=[SeriesPath("main", "not-yet")]),
        "communities": reverse("communities"),
        "community": reverse("community", args=["main"]),
        "community-series": reverse("community-series", args=["main"]),
        "community-players": reverse("community-players", args=["main"]),
        "community-players, found": reverse("community-players", args=["main"]) + "?q=a",
        "community-players, nothing found": reverse("community-players", args=["main"]) + "?q=nobody-of-this-name",
        "leaderboard": leaderboard,
        "leaderboard, page 2": f"{leaderboard}?page=2",
        "leaderboard, searched": f"{leaderboard}?q=a&country=DE",
        "leaderboard, nothing found": f"{leaderboard}?q=nobody-of-this-name",
        "leaderboard, opened at a player": f"{leaderboard}?player=p50&active=400&min=2",
        "records": reverse("records", args=[series]),
        "records, none yet": reverse("records", args=[SeriesPath("main", "night-relay")]),
        "countries": reverse("countries", args=[series]),
        "affiliations": reverse("affiliations", args=[series]) + "?active=ever",
        "leaderboard, Fermi": reverse("leaderboard", args=[SeriesPath("main", "night-relay")]),
        "how": reverse("how", args=[series]),
        "distribution": reverse("distribution", args=[series]) + "?player=ann&rating=1500",
        "leagues": reverse("leagues", args=[series]),
        "season": reverse("season", args=[series]) + "?season=1&league=provisional",
        "compare": reverse("compare"),
        "compare, of two": reverse("compare") + "?players=ann,bob",
        "compare, with long names": reverse("compare") + f"?series=harbour-cup&players=maria,{quote(HANDLES[-1])}",
        "compare, of many": reverse("compare") + "?series=harbour-cup&players=ann,bob,Zoë,李明,أمينة,nobody-known",
        "contests": reverse("contests"),
        "contest": reverse("contest", args=[contests[1].pk]),
        "contest, filtered and opened": f"{reverse('contest', args=[contests[1].pk])}?country=DE&find=ann",
        "contest, announced": reverse("contest", args=[_announced(series).pk]),
        "contest-analysis": reverse("contest-analysis", args=[contests[1].pk]),
        "why": reverse("why", args=[contests[3].pk, "ann"]),
        "why, with a hostile name": reverse("why", args=[contests[2].pk, "<b>bold</b>"]),
        "why, with a long name": reverse("why", args=[contests[2].pk, HANDLES[-1]]),
        "why, disqualified": reverse("why", args=[contests[1].pk, "bob"]),
        "what-if": reverse("what-if", args=[series]) + "?player=ann&rival=bob&target=1800",
        "what-if, of nobody": reverse("what-if", args=[series]),
        "what-if, Fermi": reverse("what-if", args=[SeriesPath("main", "night-relay")]) + "?player=ann",
        "match": reverse("match", args=[series]) + f"?a=ann&b={quote(HANDLES[-1])}",
        "match, with long names": reverse("match", args=[series]) + f"?a=maria&b={quote(HANDLES[-1])}",
        "match, of nobody": reverse("match", args=[series]),
        "opponents": reverse("opponents", args=[series]) + "?player=ann&show=everyone",
        "pairings": reverse("pairings", args=[series]) + f"?event={contests[1].pk}&met_in={contests[1].pk}&gap=300",
        "pairings, of an entered list": reverse("pairings", args=[series])
        + "?players=ann%0Anobody%0A%3Cb%3Ebold%3C/b%3E",
        "pairings, of nobody": reverse("pairings", args=[series]),
        "teams": reverse("teams", args=[series]) + f"?event={contests[1].pk}&teams=3",
        "teams, of nobody": reverse("teams", args=[series]),
        "search": reverse("search") + "?q=a",
        "search, empty": reverse("search"),
        "search, nothing found": reverse("search") + "?q=nobody-of-this-name",
        "widget": reverse("widget", args=["main", "ann"]) + "?series=harbour-cup",
        "widget, dark": reverse("widget", args=["main", "<b>bold</b>"]) + "?theme=dark",
        "players": reverse("players"),
        "players, found": reverse("players") + "?q=a",
        "player": reverse("player", args=["main", "ann"]),
        "player, sorted and opened at a row": f"/c/main/players/ann/?series=harbour-cup&sort=place&at={contests[0].pk}",
        "player, all series": "/c/main/players/ann/?view=all",
        "player, results": "/c/main/players/ann/?view=results",
        "player with a hostile name": reverse("player", args=["main", "<b>bold</b>"]),
        "player with a long name": reverse("player", args=["main", HANDLES[-1]]),
        "player without ratings": reverse("player", args=["main", "onlooker"]),
        "login": reverse("login"),
        "account_reset_password": reverse("account_reset_password"),
        "account_reset_password_done": reverse("account_reset_password_done"),
        "account_signup": reverse("account_signup"),
        "account_reset_password_from_key": reverse("account_reset_password_from_key", args=["1", "an-unknown-link"]),
    }


def _knock_out(*, rounds: tuple[str, str] = ("Semifinal", "Final")) -> Contest:
    """Return an event of four players, which has a bracket if its rounds are named."""
    series = make_series(f"darts-{len(rounds[0])}")
    for one, other, round_ in (
        ("ann", HANDLES[-1], rounds[0]), ("<b>bold</b>", "Zoë", rounds[0]), ("ann", "Zoë", rounds[1]),
    ):  # fmt: skip
        entry = GameEntry((one, other), 1 if other != "Zoë" else -1, date(2025, 5, 1), round=round_)
        add_game(series.pk, entry=entry)
    rate(series)
    return series.contests.get(is_event=True)


def _announced(series: Series) -> Contest:
    return make_contest(
        series, day=4000, finalized=False, is_announced=True, name="Round 9", url="https://cup.example/9"
    )


def review_address(draft: Contest, table: str) -> str:
    """Stage a table for a draft, and return the address of its review."""
    actor = draft.series.organizers.get()
    staged = stage(ContentFile(table.encode()), filename="standings.csv", contest=draft, actor=actor)
    review_staged(staged)
    return reverse("organize:review", args=[draft.pk, staged.token])


def _organizing(series: Series, contests: list[Contest], draft: Contest) -> dict[str, str]:
    standing = draft.standings.get(player__handle="bob")
    return {
        "home": reverse("organize:home"),
        "series": reverse("organize:series", args=[series]),
        "series-create": reverse("organize:series-create"),
        "series-edit": reverse("organize:series-edit", args=[series]),
        "series-delete": reverse("organize:series-delete", args=[series]),
        "series-delete, with drafts only": reverse("organize:series-delete", args=[SeriesPath("main", "not-yet")]),
        "progress": reverse("organize:progress", args=[series]),
        "contest-create": reverse("organize:contest-create", args=[series]),
        "game-add": reverse("organize:game-add", args=[series]),
        "contest": reverse("organize:contest", args=[contests[1].pk]),
        "contest, draft": reverse("organize:contest", args=[draft.pk]),
        "contest-edit": reverse("organize:contest-edit", args=[draft.pk]),
        "contest-delete": reverse("organize:contest-delete", args=[draft.pk]),
        "upload": reverse("organize:upload", args=[draft.pk]),
        "finalize": reverse("organize:finalize", args=[draft.pk]),
        "review": review_address(draft, REVIEWED),
        "review-ask-who": review_address(draft, REVIEWED) + "who/",
        "review, with problems": review_address(draft, REVIEWED.replace("2,", "second,")),
        "correct": reverse("organize:correct", args=[standing.pk]),
        **_correcting(series, contests, draft),
        **_of_games(),
        **_of_series(series),
        **_of_people(series, contests),
        **_of_reports(series),
    }


def _of_games() -> dict[str, str]:
    game = Contest.objects.exclude(event=None).order_by("pk")[0]
    return {
        "game-result": reverse("organize:game-result", args=[game.pk]),
        "contest, a game": reverse("organize:contest", args=[game.pk]),
        "contest, an event": reverse("organize:contest", args=[game.event_id]),
    }


def _of_reports(series: Series) -> dict[str, str]:
    """The organizer is the player ann, whom bob and Zoë have played."""
    ann, bob, zoe = (make_player(handle) for handle in ("ann", "bob", "Zoë"))
    PlayerClaim.objects.create(community_id="main", player=ann, user=series.organizers.get())
    Series.objects.filter(pk=series.pk).update(takes_reports=True)
    now = timezone.now()
    for player, opponent, state in (
        (bob, ann, "waiting"), (zoe, ann, "disputed"), (ann, bob, "waiting"), (ann, zoe, "rejected"),
    ):  # fmt: skip
        GameReport.objects.create(
            series=series, player=player, opponent=opponent, outcome=1, score=12, opponent_score=9.5, day=now.date(),
            state=state, created_at=now, reported_by=series.organizers.get(), note="We stopped in the third round.",
        )  # fmt: skip
    return {
        "reports": reverse("organize:reports", args=[series]),
        "person-unlink": reverse("organize:person-unlink", args=[ann.pk]),
        "own games": reverse("my-games"),
        "a game to report": reverse("game-report", args=[series]) + "?opponent=bob",
        "person-picture": reverse("organize:person-picture", args=[ann.pk]),
        "own picture": reverse("own-picture", args=[ann.pk]),
        "own account to unlink": reverse("player-unlink", args=[ann.pk]),
        "own player": ann.get_absolute_url(),
    }


def _correcting(series: Series, contests: list[Contest], draft: Contest) -> dict[str, str]:
    row = contests[0].standings.ranked().select_related("contest").first()
    out = {row.pk: Correction("disqualified", row.place, shares_place=True, score=row.score)}
    gone = series.contests.get(state="deleted")
    proposals = {
        "change": CorrectStandings.of(contests[0], out, version=contests[0].version, reason="two accounts"),
        "change, finalizing": FinalizeContest(draft.pk, draft.version),
        "change, deletion": DeleteContest(contests[0].pk, contests[0].version, reason="entered twice"),
    }
    return {
        **{name: f"{reverse('organize:change')}?change={token_of(each)}" for name, each in proposals.items()},
        "contest-edit, finalized": reverse("organize:contest-edit", args=[contests[0].pk]),
        "contest-delete, finalized": reverse("organize:contest-delete", args=[contests[0].pk]),
        "contest-restore": reverse("organize:contest-restore", args=[gone.pk]),
        "correct, finalized": reverse("organize:correct", args=[row.pk]),
        "standing-add": reverse("organize:standing-add", args=[contests[0].pk]),
        "standing-reassign": reverse("organize:standing-reassign", args=[row.pk]),
        "standing-remove": reverse("organize:standing-remove", args=[row.pk]),
    }


def _pk_of(name: str) -> int:
    return get_user_model().objects.get(username=name).pk


def _token_of(series: Series) -> int:
    return create_token(series.community_id, name="Club website", lifetime=None)[0].pk


def _of_series(series: Series) -> dict[str, str]:
    return {
        **{
            name: reverse(f"organize:{name}", args=[series.community_id])
            for name in (
                "community",
                "community-settings",
                "community-tiers",
                "community-delete",
                "members",
                "community-leave",
                "tokens",
            )
        },
        "community-create": reverse("organize:community-create"),
        "member-remove": reverse("organize:member-remove", args=[series.community_id, _pk_of("vic")]),
        "token-revoke": reverse("organize:token-revoke", args=[series.community_id, _token_of(series)]),
        "scheme": reverse("organize:scheme", args=[series]),
        "organizers": reverse("organize:organizers", args=[series]),
        "invitation-open": reverse("organize:invitation-open"),
        "runs": reverse("organize:runs", args=[series]),
        "runs-compare": reverse("organize:runs-compare", args=[series]) + "?from=1&to=2",
        "run": reverse("organize:run", args=[series, 1]),
        "run-roll-back": reverse("organize:run-roll-back", args=[series, 1]),
        "people": reverse("organize:people", args=[series]),
        "people, found": reverse("organize:people", args=[series]) + "?q=a",
        "organizer-remove": reverse("organize:organizer-remove", args=[series, series.organizers.get().pk]),
    }


def _of_people(series: Series, contests: list[Contest]) -> dict[str, str]:
    person, other = (contests[0].standings.get(player__handle=handle).player for handle in ("ann", "bob"))
    merge = reverse("organize:person-merge", args=[person.pk])
    merged = make_contest(series, standings=[("one", 1), ("the-same", 2)], day=200, finalized=False, name="Round 8")
    kept, gone = make_player("one"), make_player("the-same-one")
    made = merge_players(kept.pk, gone.pk, reason="the same person", actor=series.organizers.get())
    return {
        **{
            name: reverse(f"organize:{name}", args=[person.pk])
            for name in ("person", "person-edit", "person-rename", "person-merge")
        },
        "person, merged": reverse("organize:person", args=[merged.standings.get(player=kept).player_id]),
        "person-merge, of two": f"{merge}?with={other.handle}",
        "merge-split": reverse("organize:merge-split", args=[made.pk]),
    }
