"""Texts about the rating system of a series, and the names of its deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from ratings.descriptions import description_of, own_values

if TYPE_CHECKING:
    from ratings.queries.snapshot import SeriesSnapshot


def system_name(snapshot: SeriesSnapshot) -> str:
    """Return the title of a series' rating system."""
    return description_of(snapshot.system).title


def system_words(snapshot: SeriesSnapshot) -> str:
    """Return a sentence on how contests change ratings under the system of a series."""
    return description_of(snapshot.system).how


def own_parameters(snapshot: SeriesSnapshot) -> list[tuple[str, str, str]]:
    """Return label, value and unit of the parameters that differ from their defaults."""
    return own_values(snapshot.system, snapshot.scheme.parameters) if snapshot.scheme else []


def deviation_words(snapshot: SeriesSnapshot) -> str:
    """Return the name of the deviation in a series."""
    return _("volatility") if snapshot.sigma_means == "volatility" else _("one standard deviation")


def band_words(snapshot: SeriesSnapshot) -> str:
    """Return what the band around the line of a rating graph shows, in plain words."""
    return _("volatility") if snapshot.sigma_means == "volatility" else _("uncertainty")
