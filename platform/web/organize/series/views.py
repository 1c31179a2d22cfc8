"""The pages of a series for its organizers: its overview, and forms to create and edit it."""

from __future__ import annotations

import csv
import io
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Exists, OuterRef, Q, Subquery
from django.http import StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy

from accounts.confirming import reauthenticated
from contests.errors import ChangedMeanwhile, ContestError
from contests.formats.table.escape import csv_row
from contests.matching.name_index import matching
from contests.models import Community, ContestState, Player, Series, Standing, Upload
from contests.plain_text import plain_text
from contests.queries.audit_export import AUDIT_COLUMNS, audit_rows
from contests.queries.games import game_rows
from contests.queries.reports import reports_to_decide
from contests.queries.visibility import lacks_second_organizer
from contests.services.communities import default_community, may_create_community
from contests.services.series import create_series, delete_series, describe_series, fingerprint, has_counted
from ratings.database import consistent_read
from ratings.models import Run, Scheme, Work
from ratings.publishing.leases import is_parked, row_of
from ratings.publishing.queue import is_paused
from ratings.publishing.schemes import choose_scheme
from ratings.queries.roll_backs import rolled_back
from ratings.queries.snapshot import as_of, wait_state
from web.shared.access import actor, organizer_page, own_series
from web.shared.audit_trail import history_of
from web.shared.contest_pages import ContestPaginator, Kept
from web.shared.first_steps import furthest_contest, is_published, steps_of_series
from web.shared.form_fields import MAX_TEXT, slug_of
from web.shared.params import text_of
from web.shared.scheme_form import SUITED, SchemeForm
from web.shared.tiers import uneven

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest
    from contests.queries.games import GameRow
    from web.shared.params import SeriesPath


_NO_COMMUNITY = gettext_lazy(
    "Every series belongs to a community, and you are not an owner or organizer of any. Ask an owner to add you."
)


class SeriesForm(forms.Form):
    """The description of a series; the short name is part of addresses and cannot change."""

    community = forms.ModelChoiceField(
        Community.objects.none(),
        label=gettext_lazy("Community"),
        empty_label=gettext_lazy("Choose…"),
        error_messages={"required": gettext_lazy("Choose the community of the series.")},
        help_text=gettext_lazy("The community that runs the contests and owns the players."),
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        validators=[plain_text],
        help_text=gettext_lazy("Example: “Harbour Cup”."),
    )
    slug = forms.SlugField(
        label=gettext_lazy("Short name"),
        max_length=80,
        required=False,
        help_text=gettext_lazy(
            "Letters a to z, digits and hyphens. Part of the web address of every page of the series. "
            "You cannot change it later. Leave empty to derive it from the name."
        ),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=MAX_TEXT,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("For visitors: what kind of contests, how often, and who can take part."),
    )
    is_public = forms.BooleanField(
        label=gettext_lazy("Public"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Anyone can see the results and ratings, unless the community is private. If you untick this box, only "
            "members of the community and organizers of the series can."
        ),
    )

    needs_approval = forms.BooleanField(
        label=gettext_lazy("Confirmation by a second organizer"),
        required=False,
        help_text=gettext_lazy(
            "One organizer requests finalization, and another one confirms. This prevents mistakes, not "
            "misuse, because any organizer can switch it off. At least two people have to be able to "
            "organize the series."
        ),
    )

    takes_reports = forms.BooleanField(
        label=gettext_lazy("Players may report games"),
        required=False,
        help_text=gettext_lazy(
            "Only for games between two players. A player with an account reports a game, and it counts once the "
            "opponent or an organizer confirms it. If the series requires confirmation by a second organizer, the game "
            "becomes a draft instead. Owners and organizers of the community link players to accounts, on the players’ "
            "pages."
        ),
    )

    def __init__(self, *args: Any, user: User, series: Series | None = None, **kwargs: Any) -> None:
        self.series = series
        if series is not None:
            of_series = {
                "name": series.name,
                "description": series.description,
                "is_public": not series.is_private,
                "needs_approval": series.needs_approval,
                "takes_reports": series.takes_reports,
            }
            kwargs["initial"] = of_series | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        if series is not None:
            del self.fields["slug"], self.fields["community"]
        else:
            communities = communities_for(user)
            self.fields["community"].queryset = communities  # type: ignore[attr-defined]
            if len(communities) == 1:
                self.fields["community"].widget = forms.HiddenInput()
                self.initial["community"] = communities[0].pk

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.series is None and "name" in cleaned and "slug" not in self.errors:
            cleaned["slug"] = cleaned["slug"] or slug_of(cleaned["name"])[:80]
            self._check_slug(cleaned["slug"], cleaned.get("community"))
        if "community" in cleaned:
            cleaned["community"] = cleaned["community"].pk
        return cleaned

    def _check_slug(self, slug: str, community: Community | None) -> None:
        if not slug:
            self.add_error("slug", gettext("The name has no letters a to z. Enter a short name, such as harbour-cup."))
        elif Series.objects.filter(community=community, slug=slug).exists():
            self.add_error(
                "slug",
                gettext("This community already has a series “%(slug)s”. Choose another short name.") % {"slug": slug},
            )


def communities_for(user: User) -> QuerySet[Community]:
    """Return the communities in which the user may create a series. Staff of an empty site get the default one."""
    communities = Community.objects.organized_by(user).order_by("name", "slug")
    if user.is_staff and not communities.exists():
        default_community()
    return communities


CONTESTS_PER_PAGE = 50
#: The most players whose contests a search finds.
PLAYERS_SEARCHED = 200
#: Deleted contests, without the games that were deleted with their event.
_DELETED_ALONE = Q(state=ContestState.DELETED) & (Q(event=None) | ~Q(event__state=ContestState.DELETED))
#: Entries in the side column, which links to the complete runs and history.
RUNS_SHOWN, HISTORY_SHOWN = 5, 8
DELETED_SHOWN = 20
#: Characters of a CSV file that are sent at once.
_PART = 32_768


@organizer_page
def create(request: HttpRequest) -> HttpResponse:
    """Create a series, organized by its creator."""
    if not communities_for(actor(request)).exists():
        if may_create_community(actor(request)):
            messages.info(request, gettext("Every series belongs to a community. Create one first."))
            return redirect("organize:community-create")
        messages.error(request, str(_NO_COMMUNITY))
        return redirect("organize:home")
    if "show" in request.POST:
        return _create_page(request, *_as_written(request))
    initial = {"community": text_of(request, "community")}
    form = SeriesForm(request.POST or None, user=actor(request), initial=initial)
    scheme_form = SchemeForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and scheme_form.is_valid():
        try:
            series = create_series(**form.cleaned_data, actor=actor(request))
            choose_scheme(series.pk, **_choice(scheme_form), actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, gettext("Created %(name)s. Next, create its first contest.") % {"name": series.name}
            )
            _warn_if_alone(request, series)
            return redirect("organize:series", series)
    return _create_page(request, form, scheme_form)


@organizer_page
def edit(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Change the description of a series and whether a second organizer confirms."""
    series = own_series(request, at)
    form = SeriesForm(request.POST or None, user=actor(request), series=series)
    seen, status = request.POST.get("seen", "") or fingerprint(series), 200
    if request.method == "POST" and form.is_valid():
        try:
            series = describe_series(series.pk, **form.cleaned_data, seen=seen, actor=actor(request))
        except ChangedMeanwhile as error:
            form.add_error(None, str(error))
            seen, status = fingerprint(series), 409
        except ContestError as error:
            form.add_error("takes_reports", str(error))
        else:
            messages.success(request, gettext("Saved."))
            _warn_if_alone(request, series)
            return redirect("organize:series", series)
    status = 422 if form.errors and status == 200 else status
    return render(
        request, "organize/series/series_form.html", {"form": form, "series": series, "seen": seen}, status=status
    )


@organizer_page
def page(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the contests of a series, drafts first, its runs and its history."""
    series = own_series(request, at)
    search = text_of(request, "q")
    with consistent_read():
        is_stale, run = wait_state(series.pk)
        finalized = series.contests.finalized().listed_alone()
        condition, has_more_players = _found(search, series) if search else (Q(), False)
        contests, _ = ContestPaginator(
            finalized.filter(condition),
            CONTESTS_PER_PAGE,
            kept=Kept(request.user),
            name="" if search else f"finalized {series.pk}",
            state=search,
        ).asked_for(request)
        current = Run.objects.current(series.pk)
        context: dict[str, Any] = {
            "series": series,
            "is_stale": is_stale,
            "is_parked": is_stale and is_parked(row_of(series.pk, Work.RATE)),
            "is_paused": is_stale and is_paused(series.pk),
            "rolled_back": rolled_back(series, current),
            "run": run,
            "uneven": uneven(as_of(series, current, Scheme.objects.newest(series.pk))),
            "drafts": _drafts(series),
            "contests": contests,
            "finalized": _with_games(contests.contests),
            "search": search,
            "players_searched": PLAYERS_SEARCHED if has_more_players else 0,
            "runs": list(Run.objects.filter(series=series).select_related("actor").order_by("-number")[:RUNS_SHOWN]),
            "deleted": list(series.contests.filter(_DELETED_ALONE).newest_first()[:DELETED_SHOWN]),
            "history": history_of(series.audit_entries, HISTORY_SHOWN),
            "report_count": reports_to_decide(series).count(),
        }
        if not is_published(next(iter(context["runs"]), None)):
            context["steps"] = steps_of_series(series, furthest_contest(series))
        return render(request, "organize/series/series.html", context)


def _with_games(contests: Sequence[Contest]) -> list[tuple[Contest, GameRow | None]]:
    """Return each contest, with its result if it is a game of two: many games have the same name."""
    duels = [
        contest
        for contest in contests
        if contest.standing_count == 2 and not contest.is_event and not contest.has_times
    ]
    rows = {row.contest.pk: row for row in game_rows(duels)} if duels else {}
    games = {pk: row for pk, row in rows.items() if all(side.standings[0].rank for side in row.sides)}
    return [(contest, games.get(contest.pk)) for contest in contests]


def _found(search: str, series: Series) -> tuple[Q, bool]:
    """
    Return the condition that a contest has the text in its name or in the names of one of its players.

    The flag tells whether more players match than are searched; the condition then covers those added first.
    """
    in_series = Standing.objects.filter(contest__series=series)
    players = Player.objects.filter(matching(search), Exists(in_series.filter(player=OuterRef("pk"))))
    ids = list(players.order_by("pk").values_list("pk", flat=True)[: PLAYERS_SEARCHED + 1])
    theirs = in_series.filter(player__in=ids[:PLAYERS_SEARCHED])
    condition = (
        Q(name__icontains=search)
        | Q(pk__in=theirs.values("contest"))
        | Q(pk__in=theirs.exclude(contest__event=None).values("contest__event"))
    )
    return condition, len(ids) > PLAYERS_SEARCHED


def _drafts(series: Series) -> list[Contest]:
    """Return the drafts with `review_token`, the token of the newest open review."""
    waiting = Upload.objects.with_open_review().filter(draft=OuterRef("pk")).values("token")[:1]
    drafts = series.contests.listed_alone().filter(state=ContestState.DRAFT).newest_first()
    return list(drafts.annotate(review_token=Subquery(waiting)))


@organizer_page
@reauthenticated
def delete(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Ask for confirmation to delete a series that has no results; delete on POST."""
    series = own_series(request, at)
    problem = ""
    if request.method == "POST":
        try:
            delete_series(series.pk, actor=actor(request))
        except ContestError as error:
            problem = str(error)
        else:
            messages.success(request, gettext("Deleted %(name)s.") % {"name": series.name})
            return redirect("organize:home")
    context = {
        "series": series,
        "problem": problem,
        "has_counted": has_counted(series),
        "draft_count": series.contests.existing().listed_alone().count(),
    }
    return render(request, "organize/series/series_delete.html", context, status=409 if problem else 200)


@organizer_page
def history_csv(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return the whole history of a series as CSV."""
    series = own_series(request, at)
    headers = {"Content-Disposition": f'attachment; filename="{series.slug}-history.csv"'}
    lines = _csv_lines(chain([AUDIT_COLUMNS], audit_rows(series)))
    streamed = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
    return cast("HttpResponse", streamed)


def _csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield rows as CSV, some at a time, without keeping the whole file in memory."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        writer.writerow(csv_row(row))
        if file.tell() > _PART:
            yield file.getvalue()
            file.seek(0)
            file.truncate()
    yield file.getvalue()


def _choice(form: SchemeForm) -> dict[str, Any]:
    """Return what `choose_scheme` takes; without a display, it uses the default of the community or of the system."""
    display = None if form.cleaned_data["mapping"] == SUITED else form.display()
    return {"system": form.cleaned_data["system"], "parameters": form.parameters(), "display": display}


def _warn_if_alone(request: HttpRequest, series: Series) -> None:
    if lacks_second_organizer(series):
        messages.warning(
            request,
            gettext("You are the only one who organizes this series, so no one else can confirm. Invite someone."),
        )


def _as_written(request: HttpRequest) -> tuple[SeriesForm, SchemeForm]:
    """Return the forms as filled in so far, neither checked nor saved."""
    written = request.POST.dict()
    ticked = {name: name in written for name in ("is_public", "needs_approval", "takes_reports")}
    form = SeriesForm(initial={**written, **ticked}, user=actor(request))
    return form, SchemeForm(written=written)


def _create_page(request: HttpRequest, form: SeriesForm, scheme_form: SchemeForm) -> HttpResponse:
    has_errors = form.is_bound and bool(form.errors or scheme_form.errors)
    context = {"form": form, "scheme_form": scheme_form}
    return render(request, "organize/series/series_form.html", context, status=422 if has_errors else 200)
