"""
Who may see and change what under /organize/: the one check that every page and every form of it goes through.

Staff organize every series, others their own. What somebody may not organize answers 404, as if it were not there,
unless the public can read about it anyway: then it answers 403 and says whom to ask.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

from django.db import OperationalError
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from contests.errors import ContestError
from contests.models import Contest, ContestState, Invitation, Player, Series, Standing
from contests.services.standings import series_of
from contests.services.transactions import is_conflict
from contests.whole_numbers import whole_number_of
from web.shared.unsent import remember_account, show_unsent, sign_in_again

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

    View = TypeVar("View", bound=Callable[..., HttpResponse])


_RACE = (
    "Somebody else, or an import, was changing the same players or contests at this very moment. Go back and try again."
)


class NotOrganizer(Exception):
    """The visitor is logged in, but does not organize this public series."""

    def __init__(self, series: Series) -> None:
        super().__init__(series.slug)
        self.series = series


class SharedPlayer(Exception):
    """The visitor organizes some of the series in which the player has results, and not the `foreign` ones."""

    def __init__(self, player: Player, foreign: Sequence[Series]) -> None:
        super().__init__(player.handle)
        self.player, self.foreign = player, foreign


def organizer_page(view: View) -> View:
    """
    Let only logged-in visitors in, and explain a refusal.

    Others log in first and come back; what they have typed into a form is kept until then.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotOrganizer as refusal:
            return render(request, "organize/shared/forbidden.html", {"series": refusal.series}, status=403)
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
    """Return who is at work, on a page that only the logged-in see."""
    return cast("User", request.user)


def own_series(request: HttpRequest, slug: str) -> Series:
    """Return the series if the visitor may change it."""
    return _checked(request, get_object_or_404(Series, slug=slug))


def own_contest(request: HttpRequest, pk: int) -> Contest:
    """Return the contest, with its series, if the visitor may change it."""
    contest = get_object_or_404(Contest.objects.existing().select_related("series"), pk=pk)
    _checked(request, contest.series)
    return contest


def own_standing(request: HttpRequest, pk: int) -> Standing:
    """Return the row, with its player, contest and series, if the visitor may change it."""
    rows = Standing.objects.select_related("player", "contest__series").exclude(contest__state="deleted")
    standing = get_object_or_404(rows, pk=pk)
    _checked(request, standing.contest.series)
    return standing


def own_invitation(request: HttpRequest, pk: int) -> Invitation:
    """Return the invitation, with its series, if the visitor may change the series."""
    invitation = get_object_or_404(Invitation.objects.select_related("series"), pk=pk)
    _checked(request, invitation.series)
    return invitation


def own_player(request: HttpRequest, pk: int) -> Player:
    """
    Return the player, with whom that one was merged into, if the visitor may change it.

    That takes a result in a series of the visitor's own, and no finalized one in a series of others: their drafts and
    deleted contests may name whom they like. Players without results are changed by staff.
    """
    player = get_object_or_404(Player.objects.select_related("merged_into"), pk=pk)
    if request.user.is_staff:
        return player
    foreign = foreign_series(request, player)
    own = Series.objects.organized_by(request.user)
    is_known = series_of([_whoever_it_is(player)]).filter(pk__in=own.values("pk")).exists()
    if foreign and is_known:
        raise SharedPlayer(player, foreign)
    for series in foreign:
        if series.is_public:
            raise NotOrganizer(series)
    if not is_known:
        raise Http404
    return player


def known_player(request: HttpRequest, pk: int) -> Player:
    """Return the player, to be looked at, if the visitor organizes any of the series in which it has results."""
    player = get_object_or_404(Player.objects.select_related("merged_into"), pk=pk)
    own = series_of([_whoever_it_is(player)]).filter(pk__in=Series.objects.organized_by(request.user).values("pk"))
    return player if own.exists() else own_player(request, pk)


def foreign_series(request: HttpRequest, player: Player) -> list[Series]:
    """Return the series in which the player has finalized results, and which the visitor may not change."""
    own = Series.objects.organized_by(request.user)
    counting = series_of([_whoever_it_is(player)], states=[ContestState.FINALIZED])
    return list(counting.exclude(pk__in=own.values("pk")))


def others_in_words(foreign: Sequence[Series]) -> str:
    """Return how many series these are, with the names of those that are public."""
    named = [f"“{series.name}”" for series in foreign if series.is_public]
    counted = f"{len(foreign):,} other series that you do not organize"
    if not named:
        return counted
    if len(named) < len(foreign):
        hidden = len(foreign) - len(named)
        named.append(f"{hidden:,} that {'is' if hidden == 1 else 'are'} not public")
    return f"{counted}: {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}"


def _whoever_it_is(player: Player) -> int:
    return player.merged_into_id or player.pk


def primary_key(text: str) -> int:
    """Return the primary key that a query or a form names; 0, which nothing has, for anything else."""
    return whole_number_of(text) or 0


def to_progress(contest: Contest) -> HttpResponse:
    """Lead on to the rating of the contest's series, and from there back to the contest."""
    return redirect(f"{reverse('organize:progress', args=[contest.series.slug])}?contest={contest.pk}")


def check_organizes(request: HttpRequest, series: Series) -> None:
    """Refuse the visitor who may not change the series."""
    _checked(request, series)


def _checked(request: HttpRequest, series: Series) -> Series:
    if Series.objects.organized_by(request.user).filter(pk=series.pk).exists():
        return series
    if series.is_public:
        raise NotOrganizer(series)
    raise Http404
