"""The form data of the page of a series' scheme."""

from __future__ import annotations

from django.urls import reverse

from ratings.models import Scheme

TWO_TIERS = [
    {"name": "Low", "minimum": "", "symbol": "○", "colour_light": "#6e6e6e", "colour_dark": "#acacac"},
    {"name": "High", "minimum": "1500", "symbol": "★", "colour_light": "#92654b", "colour_dark": "#fee431"},
]


def rows(tiers, **more):
    """Return the form data of rows of tiers."""
    sent = {"tier_choice": "own", "tiers-TOTAL_FORMS": len(tiers), "tiers-INITIAL_FORMS": len(tiers)}
    sent |= {f"tiers-{i}-{name}": value for i, tier in enumerate(tiers) for name, value in tier.items()}
    return {**sent, **more}


def send(client, series, **said):
    newest = Scheme.objects.newest(series.pk)
    form = {"system": "elo-mmr", "mapping": "suited", "version": newest.version if newest else 0, **said}
    return client.post(reverse("organize:scheme", args=[series]), form)


def newest(series):
    return Scheme.objects.newest(series.pk)
