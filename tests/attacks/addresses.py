"""Every address of the site, with the response to each kind of visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from django.urls import get_resolver, reverse
from django.utils import timezone

from accounts.models import ApiToken
from contests.changes.of_contests import DeleteContest, DescribeContest, FinalizeContest, RestoreContest
from contests.changes.of_games import AddGame, CorrectResult
from contests.changes.of_players import MergePlayers, RenamePlayer, SplitPlayers
from contests.changes.of_standings import AddStanding, CorrectStandings, ReassignStanding, RemoveStanding
from contests.models import Player
from contests.services.correcting import Correction
from contests.services.describing import ContestDescription
from contests.services.events import GameEntry
from ratings.publishing.scheme_changes import ChooseScheme
from ratings.publishing.undoing import UndoCauses, causes_since
from tests.attacks.arguments import (
    alone,
    api_token,
    change_of,
    claimed,
    community,
    community_and_slug,
    deleted,
    draft,
    duel,
    fields,
    final,
    handle,
    member,
    other_system,
    own_player,
    participation,
    person,
    report,
    review,
    run,
    season,
    series,
    sides,
    standing,
    two,
    two_listed,
)
from tests.attacks.rules import refusal
from tests.web.organize.everything import TOKEN
from tests.web.organize.forms import CONTEST, GAME, SERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from contests.changes.base import Change
    from tests.web.organize.everything import World

#: Roles in the community itself.
MEMBERS = ("viewer", "organizer", "owner")
#: A redirect to the sign-in page, for every method.
LOGIN = {"anonymous": (302, 302)}


@dataclass(frozen=True)
class Case:
    """
    The responses of an address.

    who
        The kind of page, as `rules.refusal` takes it.
    args, query
        Functions that return the arguments and the query string of the address for a world.
    get, post
        Status for the roles that are let in; 405 applies to every role.
    form
        A form that changes something if its sender may do so.
    apart
        The roles with other responses, each with its statuses for GET and POST.
    """

    who: str
    args: Callable[[World], list[Any]] = lambda world: []
    get: int = 200
    post: int = 200
    query: Callable[[World], dict[str, Any]] = lambda world: {}
    form: Callable[[World], dict[str, Any]] = lambda world: {"nothing": "known"}
    apart: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def expected(self, role: str, method: str, state: str) -> int:
        """Return the status for one of `rules.ROLES` and `rules.STATES`; `method` is "get" or "post"."""
        role = "anonymous" if role == "deactivated" else role
        if role in self.apart:
            return self.apart[role][method == "post"]
        status, refused = self.get if method == "get" else self.post, refusal(self.who, role, state)
        # Django's admin checks who is asking before it checks what they want.
        return status if refused is None or (status == 405 and self.who != "staff") else refused


CASES = {
    "home": Case("lists"),
    "communities": Case("lists"),
    "community": Case("community", community),
    "community-series": Case("community", community),
    "community-players": Case("community", community),
    "community-logo": Case("community", lambda world: [*community(world), world.series.community.logo, 64]),
    "community-feed-results": Case("community programs", community),
    "community-feed-calendar": Case("community programs", community),
    "design": Case("hidden"),
    "design-tiers": Case("hidden"),
    "accent-styles": Case("everyone", lambda world: ["1a7f37"]),
    "communities-in-full": Case("everyone", get=301, post=301),
    "old-address": Case("everyone", lambda world: [f"series/{world.series.slug}/"], get=301, post=301),
    "old-organize-address": Case("everyone", lambda world: [f"series/{world.series.slug}/"], get=301, post=301),
    "search": Case("lists", query=lambda world: {"q": "final"}),
    "suggest": Case("lists", query=lambda world: {"q": "final"}),
    "series-list": Case("lists"),
    "series": Case("readers", series),
    "leaderboard": Case("readers", series),
    "leagues": Case("readers", series, get=404, post=404),  # the series has none, and says so to those who may read it
    "season": Case("readers", series, get=404, post=404),
    "distribution": Case("readers", series),
    "records": Case("readers", series),
    "countries": Case("readers", series),
    "affiliations": Case("readers", series),
    "what-if": Case("readers", series),
    "match": Case("readers", series),
    "opponents": Case("readers", series),
    "pairings": Case("readers", series),
    "pairings-csv": Case("readers", series),
    "teams": Case("readers", series),
    "teams-csv": Case("readers", series),
    "how": Case("readers", series),
    "compare": Case("readers", query=two),
    "contest": Case("readers", final),
    "contest-analysis": Case("readers", final),
    "contest-csv": Case("readers", final),
    "why": Case("readers", participation),
    "contests": Case("lists"),
    "feed-results": Case("open lists"),
    "feed-calendar": Case("open lists"),
    "series-feed-results": Case("programs", series),
    "series-feed-calendar": Case("programs", series),
    "robots": Case("everyone"),
    "security-contact": Case("everyone"),
    "sitemap": Case("open lists"),
    "sitemap-series": Case("open lists"),
    "sitemap-contests": Case("listed", series),
    "sitemap-players": Case("listed", lambda world: [world.series, 1]),
    "players": Case("lists"),
    "player": Case("readers", handle),
    "player-picture": Case(
        "readers", lambda world: [*community(world), world.player.pk, Player.objects.get(pk=world.player.pk).picture]
    ),
    "player-history": Case("readers", handle, query=lambda world: {"series": world.series.slug}),
    "card": Case("programs", handle),
    "badge": Case("programs", handle),
    "widget": Case("programs", handle),
    "my-games": Case("accounts"),
    "game-report": Case(
        "players", series, post=302,
        form=lambda world: {"opponent": "p1", "result": "won", "day": timezone.now().date()},
    ),
    "game-report-answer": Case("opponent", report, get=405, post=302, form=fields(answer="confirm")),
    "player-unlink": Case("own player", own_player, post=302),
    "own-picture": Case("own player", own_player, post=302, form=fields(remove="yes")),
    "player-mail": Case("own player", own_player, get=405, post=302),
    "language": Case("everyone", lambda world: ["de"], get=302, post=302),
    "tier-styles": Case("parts", lambda world: [str(world.series.schemes.order_by("-version")[0].pk)]),
    "login": Case("everyone", get=302, post=302, apart={"anonymous": (200, 200)}),  # others are logged in already
    "logout": Case("everyone", post=302, apart={"anonymous": (302, 302)}),
    "healthz": Case("everyone"),
    "readyz": Case("everyone"),
    "organize:home": Case("own lists"),
    "organize:community-create": Case("accounts", post=302, form=fields(name="New", visibility="public")),
    "organize:community": Case("managers", community),
    "organize:community-tiers": Case(
        "managers", community, post=302, form=lambda world: {"series": world.series.pk}
    ),
    "organize:community-settings": Case("owners", community, post=302, form=fields(name="New", visibility="public")),
    "organize:community-delete": Case("owners", community, post=409),
    "organize:members": Case("managers", community),
    "organize:member-role": Case("owners", member, get=405, post=302, form=fields(role="viewer")),
    "organize:member-remove": Case("owners", member, post=302),
    "organize:community-leave": Case(
        "accounts", community, get=404, post=404, apart=LOGIN | dict.fromkeys(MEMBERS, (200, 302))
    ),
    "organize:member-invitations": Case("owners", community, get=302, form=fields(role="owner")),
    "organize:tokens": Case(
        "owners", community, form=lambda world: {"name": f"robot {ApiToken.objects.count()}", "lifetime": "30"}
    ),
    "organize:token-revoke": Case("owners", api_token, post=302),
    "organize:series-create": Case(
        "accounts", post=302, form=lambda world: SERIES | {"community": world.series.community_id, "name": "New"},
        # The stranger chooses someone else's community; the others have no community in which they may create a series.
        apart=LOGIN | {"stranger": (200, 422)}
        | dict.fromkeys(("series organizer", "viewer", "neighbour", "player"), (302, 302)),
    ),
    "organize:series": Case("organizers", series),
    "organize:series-delete": Case("organizers", series, post=409),
    "organize:series-edit": Case("organizers", series, post=302, form=fields(name="New", is_public="on")),
    "organize:scheme": Case("organizers", series, post=302, form=other_system),
    "organize:organizers": Case("organizers", series, post=302, form=fields(username="stranger")),
    "organize:organizer-remove": Case("organizers", lambda world: [world.series, world.colleague.pk], post=302),
    "organize:invitations": Case("organizers", series, get=302, form=fields(note="Bo")),
    "organize:invitation-withdraw": Case("organizers", lambda world: [world.invitation.pk], get=405, post=302),
    "organize:invitation-open": Case("everyone", post=302, form=fields(link=f"http://testserver/#{TOKEN}")),
    "organize:invitation-accept": Case("everyone", get=302, post=302),
    "organize:invitation-old": Case("everyone", lambda world: ["an-unknown-secret"], get=410, post=410),
    "organize:progress": Case("organizers", series),
    "organize:progress-json": Case("organizers", series),
    "organize:ring": Case("organizers", series, get=405, post=302),
    "organize:rate-results": Case("organizers", series, get=405, post=302),
    "organize:runs": Case("organizers", series),
    "organize:runs-compare": Case("organizers", series),
    "organize:runs-compare-csv": Case("organizers", series),
    "organize:series-history-csv": Case("organizers", series),
    "organize:run": Case("organizers", run),
    "organize:run-cancel": Case("organizers", run, get=405, post=302),
    "organize:run-roll-back": Case("organizers", run, post=302, form=fields(reason="spite")),
    "organize:people": Case("organizers", series),
    "organize:people-duplicates": Case("organizers", series, get=302, post=302),
    "organize:people-duplicates-progress": Case("organizers", series),
    "organize:person": Case("organizers", person),
    "organize:person-edit": Case("organizers", person, post=302, form=fields(name="New")),
    "organize:person-rename": Case("organizers", person, post=302, form=fields(handle="new", reason="spite")),
    "organize:person-name": Case("organizers", person, get=405, post=302, form=fields(handle="new")),
    "organize:person-name-remove": Case("organizers", person, get=405, post=302, form=fields(handle="alias0")),
    "organize:person-merge": Case(
        "organizers", person, post=302, query=lambda world: {"with": world.other.handle},
        form=lambda world: {"kept": world.player.pk, "reason": "spite"},
    ),
    "organize:person-account": Case("player managers", person, get=302),
    "organize:person-picture": Case("player managers", person, post=302, form=fields(remove="yes")),
    "organize:person-unlink": Case("player managers", claimed, get=200, post=302),
    "organize:merge-split": Case("organizers", lambda world: [world.merge.pk], post=302, form=fields(reason="spite")),
    "organize:contest-create": Case("organizers", series, post=302, form=fields(**CONTEST)),
    "organize:game-add": Case("organizers", series, post=302, form=fields(**GAME)),
    "organize:game-result": Case("organizers", duel, post=302, form=fields(result="second", reason="spite")),
    "organize:reports": Case("organizers", series),
    "organize:report-decide": Case("organizers", report, get=405, post=302, form=fields(decision="accept")),
    "organize:contest": Case("organizers", final),
    "organize:contest-edit": Case("organizers", draft, post=302, form=fields(**CONTEST)),
    "organize:contest-delete": Case("organizers", draft, post=302, form=fields(reason="spite")),
    "organize:upload": Case("organizers", draft, post=302, form=fields(text="rank,handle\n1,ann\n")),
    "organize:review": Case("organizers", review),
    "organize:review-remarks": Case("organizers", review),
    "organize:review-progress": Case("organizers", review),
    "organize:review-read": Case("organizers", review, get=405, post=302),
    "organize:review-decide-people": Case(
        "organizers", review, get=405, post=302, form=fields(handle_0="stranger0", who_0="new")
    ),
    "organize:review-correct": Case("organizers", review, get=405, post=302, form=fields(undo="all")),
    "organize:review-ask-who": Case("organizers", review, get=302, post=302),
    "organize:review-apply-description": Case("organizers", review, get=405, post=302),
    "organize:review-add-missing": Case("organizers", review, get=405, post=302),
    "organize:review-now": Case("organizers", review, get=405, post=302),
    "organize:review-save": Case(
        "organizers", review, get=405, post=302, form=lambda world: {"version": world.draft.version}
    ),
    "organize:review-discard": Case("organizers", review, get=405, post=302),
    "organize:contest-restore": Case("organizers", deleted, post=302, form=fields(reason="spite")),
    "organize:finalize": Case("organizers", draft, get=302, post=302),
    "organize:standing-add": Case(
        "organizers", final, post=302, form=fields(handle="new", status="disqualified", place="1", reason="spite")
    ),
    "organize:standing-reassign": Case("organizers", standing, post=302, form=fields(handle="new", reason="spite")),
    "organize:standing-remove": Case("organizers", standing, post=302, form=fields(reason="spite")),
    "organize:correct-selected": Case(
        "organizers", final, get=302, post=302,
        form=lambda world: {"rows": [world.standing.pk], "status": "disqualified", "reason": "spite"},
    ),
    "organize:correct": Case(
        "organizers", standing, post=302, form=fields(status="disqualified", place="1", reason="spite")
    ),
    "organize:change": Case("organizers", query=change_of, post=302),
    "organize:change-progress": Case("organizers", query=change_of),
    "account": Case("accounts", post=302),
    "account_login": Case("everyone", get=302, post=302, apart={"anonymous": (200, 200)}),
    "account_logout": Case("everyone", post=302, apart={"anonymous": (302, 302)}),
    "account_inactive": Case("everyone", post=405),
    "account_signup": Case("everyone", get=302, post=302, apart={"anonymous": (200, 200)}),
    "account_reauthenticate": Case("accounts"),
    "account_email": Case("accounts", post=302),
    "account_email_verification_sent": Case("everyone", post=405),
    "account_confirm_email": Case("everyone", lambda world: ["an-unknown-key"], post=404),
    "account_change_password": Case("accounts"),
    "account_set_password": Case("accounts", get=302, post=302),
    "account_reset_password": Case("everyone"),
    "account_reset_password_done": Case("everyone", post=405),
    "account_reset_password_from_key": Case("everyone", lambda world: ["1", "an-unknown-link"]),
    "account_reset_password_from_key_done": Case("everyone", post=405),
    "account_confirm_login_code": Case("everyone", get=302, post=302),
    "mfa_index": Case("accounts", post=405, apart=LOGIN),
    "mfa_authenticate": Case("everyone", get=302, post=302),
    "mfa_reauthenticate": Case("accounts", get=302, post=302),
    "mfa_activate_totp": Case("accounts", get=302, post=302),
    "mfa_deactivate_totp": Case("accounts", get=404, post=404),
    "mfa_view_recovery_codes": Case("accounts", get=404, post=405, apart=LOGIN),
    "mfa_generate_recovery_codes": Case("accounts", get=302, post=302),
    "mfa_download_recovery_codes": Case("accounts", get=404, post=404),
    "mfa_list_webauthn": Case("accounts", post=405, apart=LOGIN),
    "mfa_add_webauthn": Case("accounts", get=302, post=302),
    "mfa_reauthenticate_webauthn": Case("accounts", get=302, post=302),
    "mfa_remove_webauthn": Case("accounts", lambda world: [0], get=302, post=302),
    "mfa_edit_webauthn": Case("accounts", lambda world: [0], get=302, post=302),
    "mfa_login_webauthn": Case("everyone", get=302, post=302),
    "usersessions_list": Case("accounts", post=302),
    "socialaccount_login_cancelled": Case("everyone", post=405),
    "socialaccount_login_error": Case("everyone", get=401, post=405),
    "socialaccount_signup": Case("everyone", get=302, post=302),
    "socialaccount_connections": Case("accounts"),
    "openid_connect_login": Case("everyone", lambda world: ["oidc"], get=404, post=404),
    "openid_connect_callback": Case("everyone", lambda world: ["oidc"], get=404, post=404),
    "admin-login": Case("everyone", get=403, post=403, apart={"anonymous": (302, 302)}),
    "api:schema": Case("everyone", post=405),
    "api:docs": Case("everyone", post=405),
    "api:series-list": Case("open lists", post=405),
    "api:series": Case("programs", community_and_slug, post=405),
    "api:leaderboard": Case("programs", community_and_slug, post=405),
    "api:distribution": Case("programs", community_and_slug, post=405),
    "api:leagues": Case("programs", community_and_slug, get=404, post=405),
    "api:league-players": Case("programs", community_and_slug, get=404, post=405),
    "api:seasons": Case("programs", community_and_slug, get=404, post=405),
    "api:season": Case("programs", season, get=404, post=405),
    "api:runs": Case("programs", community_and_slug, post=405),
    "api:events": Case("programs", community_and_slug, post=405),
    "api:changes": Case("programs", community_and_slug, post=405),
    "api:compare": Case("programs", query=two, post=405),
    "api:match": Case("programs", community_and_slug, query=sides, post=405),
    "api:opponents": Case("programs", community_and_slug, query=alone, post=405),
    "api:pairings": Case("programs", community_and_slug, query=two_listed, post=405),
    "api:teams": Case("programs", community_and_slug, query=two_listed, post=405),
    "api:contests": Case("open lists", post=405),
    "api:contest": Case("programs", final, post=405),
    "api:standings": Case("programs", final, post=405),
    # The contest of this world is not an event.
    "api:scores": Case("programs", final, get=404, post=405),
    "api:rating-changes": Case("programs", final, post=405),
    "api:players": Case("open lists", post=405),
    "api:root": Case("everyone", post=405),
    "api:communities": Case("open lists", post=405),
    "api:community": Case("community programs", community, post=405),
    "api:community-players": Case("community programs", community, post=405),
    "api:community-series": Case("community programs", community, post=405),
    "api:player-by-id": Case("programs", person, post=405),
    # The series of this world is not a ladder.
    "api:challenges": Case(
        "programs", person, get=400, post=405, query=lambda world: {"series": world.series.slug}
    ),
    "api:history-by-id": Case("programs", person, post=405),
    "api:player": Case("programs", handle, post=405),
    "api:history": Case("programs", handle, post=405),
    "api:unknown": Case("everyone", lambda world: ["no/such/thing"], get=404, post=404),
    "admin:index": Case("staff"),
    "admin:password_change": Case("everyone", get=302, post=302),  # leads to our own page
    "admin:password_change_done": Case("staff", post=405),
    "admin:autocomplete": Case("staff", post=405, query=lambda world: {
        "app_label": "contests", "model_name": "series", "field_name": "organizers", "term": "i"
    }),
    "admin:jsi18n": Case("staff", post=405),
    "admin:view_on_site": Case("staff", lambda world: [0, 0], get=404, post=404),
    "admin:app_list": Case("staff", lambda world: ["contests"]),
}  # fmt: skip
#: Addresses that have no name: those of earlier versions, and unknown ones below the admin.
NAMELESS = {
    "admin:(?P<url>.*)$",
    "account/password/",
    "accounts/reset/",
    "accounts/reset/<path:rest>",
    "admin/password_change/",
}
#: They redirect to the admin's index or not, depending on who is logged in.
DOORS = {"admin:login", "admin:logout"}


def addresses(resolver: Any = None, namespace: str = "") -> Iterator[str]:
    """Yield the name of every address, or its route if it has no name."""
    for part in (resolver or get_resolver()).url_patterns:
        if hasattr(part, "url_patterns"):
            inner = f"{part.namespace}:" if part.namespace else ""
            yield from addresses(part, namespace + inner)
        else:
            yield namespace + (part.name or str(part.pattern))


def path_of(name: str, world: World) -> str:
    return reverse(name, args=CASES[name].args(world), query=CASES[name].query(world))


def proposals(world: World) -> list[Change]:
    """Return one change of each kind, whose address someone could keep or receive."""
    row, version = world.standing, world.final.version
    scheme = world.series.schemes.order_by("-version")[0]
    described = ContestDescription(name="Stolen", ends_at=world.final.ends_at)
    older = world.series.runs.get(number=world.older)
    out = {row.pk: Correction("disqualified", row.place)}
    return [
        FinalizeContest(world.draft.pk, world.draft.version),
        DeleteContest(world.final.pk, version, reason="spite"),
        RestoreContest(world.deleted.pk, reason="spite"),
        DescribeContest.of(world.final, described, version=version, reason="spite"),
        CorrectStandings.of(world.final, out, version=version, reason="spite"),
        AddStanding.of(world.final, "stranger", Correction("ranked", 1), team="", version=version, reason="spite"),
        RemoveStanding(world.final.pk, version, row.pk, reason="spite"),
        ReassignStanding(world.final.pk, version, row.pk, "stranger", reason="spite"),
        AddGame.of(world.series, GameEntry(("ann", "zoe"), 1, date(2025, 5, 1))),
        CorrectResult(world.duel.pk, world.duel.version, [0.0, 1.0], reason="spite"),
        RenamePlayer(world.player.pk, "stolen", reason="spite"),
        MergePlayers(world.player.pk, world.other.pk, reason="spite"),
        SplitPlayers(world.merge.pk, reason="spite"),
        ChooseScheme(world.series.pk, scheme.version, "glicko2", {}, {}, reason="spite"),
        UndoCauses(world.series.pk, world.older, [cause.key for cause in causes_since(older)], reason="spite"),
    ]
