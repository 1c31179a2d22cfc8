"""The page of the display and tiers with which new series of a community start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy

from contests.errors import ContestError
from contests.models import Series
from ratings.database import consistent_read
from ratings.descriptions import description_of
from ratings.display import tiers_from_list
from ratings.display.tier_shares import ENOUGH_PLAYERS
from ratings.models import DefaultDisplay, Run, Scheme
from ratings.publishing.default_displays import set_default_display
from ratings.queries.snapshot import as_of
from web.shared.access import actor, organizer_page, own_community
from web.shared.tiers import distribution, uneven

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Community
    from ratings.display.tier_shares import UnevenTier


#: The most series to list, because each takes a few queries.
MOST_SERIES = 10


class DefaultTiersForm(forms.Form):
    """The series whose display and tiers new series of a community start with."""

    series = forms.ModelChoiceField(
        queryset=Series.objects.none(),
        label=gettext_lazy("Copy display and tiers from"),
        required=False,
        empty_label=gettext_lazy("The defaults of the rating system"),
        help_text=gettext_lazy(
            "Podium copies the display and the tiers of this series: names, thresholds, symbols and "
            "colours. If you change them in that series later, come back to copy them again."
        ),
    )

    def __init__(self, *args: Any, community: Community, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = self.fields["series"]
        assert isinstance(chosen, forms.ModelChoiceField)
        with_scheme = Scheme.objects.filter(series__community=community).values("series")
        chosen.queryset = community.series.filter(pk__in=with_scheme).order_by("name", "pk")


@organizer_page
def page(request: HttpRequest, community: str) -> HttpResponse:
    """Show the default display and tiers of a community; a POST copies those of a series, or removes them."""
    shown = own_community(request, community)
    form = DefaultTiersForm(request.POST or None, community=shown)
    if request.method == "POST" and form.is_valid():
        series = form.cleaned_data["series"]
        try:
            set_default_display(shown.pk, series.pk if series is not None else None, actor=actor(request))
        except ContestError as error:
            form.add_error("series", str(error))
        else:
            messages.success(request, gettext("Saved. Existing series stay as they are."))
            return redirect("organize:community-tiers", shown.pk)
    default = DefaultDisplay.objects.filter(community=shown).first()
    with consistent_read():
        large = _large_series(shown)
    context = {
        "large_series": large,
        "community": shown,
        "form": form,
        "tiers": list(tiers_from_list(default.tiers))[::-1] if default is not None else [],
        "system": description_of(default.system).title if default is not None else "",
    }
    return render(request, "organize/community/default_tiers.html", context, status=422 if form.errors else 200)


def _large_series(community: Community) -> list[tuple[Series, list[UnevenTier]]]:
    """Return the largest series with enough players to propose thresholds, each with its uneven tiers."""
    runs = Run.objects.newest_of(community.series.values_list("pk", flat=True)).select_related("series", "scheme")
    large = runs.filter(player_count__gte=ENOUGH_PLAYERS).order_by("-player_count", "pk")[:MOST_SERIES]
    newest = [as_of(run.series, run, Scheme.objects.newest(run.series_id)) for run in large]
    return [(snapshot.series, uneven(snapshot)) for snapshot in newest if distribution(snapshot) is not None]
