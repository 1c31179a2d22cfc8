"""
Access to the pages under /organize/: the one check that every page and every form goes through.

Staff organize every series, owners and organizers of a community all of its series, other users their own. A page
about anything else answers 404, as if it did not exist, unless the visitor can read it: then it answers 403.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

from allauth.core.exceptions import ReauthenticationRequired
from django.db import OperationalError
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache

from contests.errors import ContestError
from contests.models import Community, Contest, ContestState, Invitation, Player, PlayerMerge, Role, Series, Standing
from contests.queries.visibility import visible_series
from contests.services.standings import series_of
from contests.services.transactions import is_conflict
from contests.wording import grouped, in_a_row, quoted
from web.shared.unsent import confirm_first, remember_account, show_unsent, sign_in_again

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.models.contest import SeriesQuerySet
    from web.shared.params import SeriesPath

    View = TypeVar("View", bound=Callable[..., HttpResponse])


_RACE = gettext_lazy(
    "Someone else, or an import, was changing the same players or contests at the same moment. Go back and try again."
)


class NotOrganizer(Exception):
    """The visitor is logged in and can read this series, but does not organize it."""

    def __init__(self, series: Series) -> None:
        super().__init__(series.slug)
        self.series = series


class NotMember(Exception):
    """The visitor is logged in and can read this community, but lacks a role in it."""

    def __init__(self, community: Community) -> None:
        super().__init__(community.pk)
        self.community = community


class SharedPlayer(Exception):
    """The visitor organizes some of the series in which the player has results, but not the `foreign` ones."""

    def __init__(self, player: Player, foreign: Sequence[Series]) -> None:
        super().__init__(player.handle)
        self.player, self.foreign = player, foreign


def organizer_page(view: View) -> View:
    """
    Restrict a view to logged-in visitors, and explain a refusal.

    Other visitors log in first and come back; whatever they typed into a form is kept until then. The same holds for
    those who have to confirm first who they are (accounts.confirming).
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ReauthenticationRequired:
            return confirm_first(request)
        except NotOrganizer as refusal:
            return render(request, "organize/shared/forbidden.html", {"series": refusal.series}, status=403)
        except NotMember as refusal:
            return render(request, "organize/shared/forbidden.html", {"community": refusal.community}, status=403)
        except SharedPlayer as refusal:
            context = {"player": refusal.player, "blocking": others_in_words(refusal.foreign)}
            return render(request, "organize/people/person_shared.html", context, status=403)
        except ContestError as refusal:
            return render(request, "organize/changes/change_refused.html", {"problem": str(refusal)}, status=409)
        except OperationalError as error:
            if not is_conflict(error):
                raise
            return render(request, "organize/changes/change_refused.html", {"problem": _RACE}, status=503)

    @wraps(view)
    def entered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not request.user.is_authenticated:
            return sign_in_again(request)
        show_unsent(request)
        response = checked(request, *args, **kwargs)
        remember_account(request, response)
        return response

    entered.keeps_typed = True  # type: ignore[attr-defined]  # the answer to a wrong CSRF token asks for it
    return never_cache(entered)  # type: ignore[return-value]


def actor(request: HttpRequest) -> User:
    """Return the user of a page that requires a login."""
    return cast("User", request.user)


def own_series(request: HttpRequest, at: SeriesPath) -> Series:
    """Return the series if the visitor may change it."""
    return _checked(request, get_object_or_404(_known(request), community=at.community, slug=at.slug))


def own_community(request: HttpRequest, slug: str, *, role: Role = Role.ORGANIZER) -> Community:
    """Return the community if the visitor is an organizer or owner of it, or an owner if `role` says so."""
    community = get_object_or_404(Community.objects.visible_to(request.user), pk=slug)
    allowed = Community.objects.owned_by if role == Role.OWNER else Community.objects.organized_by
    if not allowed(request.user).filter(pk=community.pk).exists():
        raise NotMember(community)
    return community


def own_contest(request: HttpRequest, pk: int, *, is_deleted: bool = False) -> Contest:
    """Return the contest, or the deleted contest, with its series, if the visitor may change it."""
    contests = Contest.objects.filter(state=ContestState.DELETED) if is_deleted else Contest.objects.existing()
    contests = contests.select_related("series")
    contest = get_object_or_404(contests.filter(series__in=_known(request).values("pk")), pk=pk)
    _checked(request, contest.series)
    return contest


def own_standing(request: HttpRequest, pk: int) -> Standing:
    """Return the row, with its player, contest and series, if the visitor may change it."""
    rows = Standing.objects.select_related("player", "contest__series").exclude(contest__state="deleted")
    standing = get_object_or_404(rows.filter(contest__series__in=_known(request).values("pk")), pk=pk)
    _checked(request, standing.contest.series)
    return standing


def own_invitation(request: HttpRequest, pk: int) -> Invitation:
    """Return the invitation, with its target, if the visitor could create such an invitation."""
    invitations = Invitation.objects.select_related("series", "community", "player").filter(
        Q(series__in=_known(request).values("pk"))
        | Q(series=None, community__in=Community.objects.visible_to(request.user).values("pk"))
    )
    invitation = get_object_or_404(invitations, pk=pk)
    if invitation.series is not None:
        _checked(request, invitation.series)
    else:
        role = Role.OWNER if invitation.player_id is None else Role.ORGANIZER
        own_community(request, invitation.community_id, role=role)
    return invitation


def own_player(request: HttpRequest, pk: int) -> Player:
    """
    Return the player, with the player that it was merged into, if the visitor may change it.

    Owners and organizers of the player's community may. People who organize only some of its series may if the player
    has a result in one of theirs and no finalized result in another series; drafts and deleted contests of other series
    do not count.
    """
    player = get_object_or_404(_known_players(request).select_related("merged_into"), pk=pk)
    if request.user.is_staff:
        return player
    foreign = foreign_series(request, player)
    own = Series.objects.organized_by(request.user)
    is_known = series_of([_current_pk(player)]).filter(pk__in=own.values("pk")).exists()
    is_known = is_known or Community.objects.organized_by(request.user).filter(pk=player.community_id).exists()
    if foreign and is_known:
        raise SharedPlayer(player, foreign)
    readable = visible_series(request.user).filter(pk__in=[series.pk for series in foreign]).first()
    if readable is not None:
        raise NotOrganizer(readable)
    if not is_known:
        raise Http404
    return player


def known_player(request: HttpRequest, pk: int) -> Player:
    """Return the player if the visitor may view it: one result in a series of the visitor is enough."""
    player = get_object_or_404(_known_players(request).select_related("merged_into"), pk=pk)
    own = series_of([_current_pk(player)]).filter(pk__in=Series.objects.organized_by(request.user).values("pk"))
    return player if own.exists() else own_player(request, pk)


def managed_player(request: HttpRequest, pk: int) -> Player:
    """
    Return the player if the visitor is an owner or organizer of its community; the kept one if it was merged.

    People who organize only some of the series may not change the account or the picture of a player.
    """
    player = known_player(request, pk)
    own_community(request, player.community_id)
    return player.merged_into or player


def own_merge(request: HttpRequest, pk: int) -> PlayerMerge:
    """Return the merge, with its players and its author, if the visitor may change the player that was merged."""
    merges = PlayerMerge.objects.select_related("merged__merged_into", "kept", "actor")
    merge = get_object_or_404(merges.filter(merged__in=_known_players(request).values("pk")), pk=pk)
    own_player(request, merge.merged_id)
    return merge


def _known(request: HttpRequest) -> SeriesQuerySet:
    """
    Return the series that the visitor may know of.

    Pages look among these first, so that hidden things cause exactly the same queries as missing ones.
    """
    return visible_series(request.user)


def _known_players(request: HttpRequest) -> QuerySet[Player]:
    """Return the players that the visitor may know of: those of `own_player`, or with a result that anyone can read."""
    if request.user.is_staff:
        return Player.objects.all()
    rows = Standing.objects.filter(player=Coalesce(OuterRef("merged_into"), OuterRef("pk")))
    final = rows.filter(contest__series__in=_known(request).values("pk"), contest__state=ContestState.FINALIZED)
    own = rows.filter(contest__series__in=Series.objects.organized_by(request.user).values("pk"))
    communities = Community.objects.organized_by(request.user).values("pk")
    return Player.objects.filter(Q(community__in=communities) | Exists(own) | Exists(final))


def foreign_series(request: HttpRequest, player: Player) -> list[Series]:
    """Return the series with finalized results of the player that the visitor may not change."""
    own = Series.objects.organized_by(request.user)
    counted = series_of([_current_pk(player)], states=[ContestState.FINALIZED])
    return list(counted.exclude(pk__in=own.values("pk")))


def others_in_words(foreign: Sequence[Series]) -> str:
    """Return the number of these series in words, with the names of the public ones."""
    named = [quoted(series.name) for series in foreign if series.is_public]
    text = ngettext(
        "%(number)s other series that you do not organize",
        "%(number)s other series that you do not organize",
        len(foreign),
    )
    counted = text % {"number": grouped(len(foreign))}
    if not named:
        return counted
    if len(named) < len(foreign):
        hidden = len(foreign) - len(named)
        named.append(
            ngettext("%(number)s that is not public", "%(number)s that are not public", hidden)
            % {"number": grouped(hidden)}
        )
    return f"{counted}: {in_a_row(named)}"


def _current_pk(player: Player) -> int:
    return player.merged_into_id or player.pk


def to_progress(contest: Contest) -> HttpResponse:
    """Redirect to the rating progress of the contest's series, which links back to the contest."""
    return redirect(f"{reverse('organize:progress', args=[contest.series])}?contest={contest.pk}")


def check_organizes(request: HttpRequest, series: Series) -> None:
    """Raise the matching refusal if the visitor may not change the series."""
    _checked(request, series)


def _checked(request: HttpRequest, series: Series) -> Series:
    if Series.objects.organized_by(request.user).filter(pk=series.pk).exists():
        return series
    if series.is_public or visible_series(request.user).filter(pk=series.pk).exists():
        raise NotOrganizer(series)
    raise Http404
