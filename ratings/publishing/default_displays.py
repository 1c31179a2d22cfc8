"""The default display and tiers of a community, with which its new series start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Community
from contests.services.audit import record
from ratings.models import DefaultDisplay, Scheme

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def set_default_display(slug: str, series_id: int | None, *, actor: User | None = None) -> DefaultDisplay | None:
    """
    Copy the display and tiers of a series as the defaults for new series of its community.

    Existing series stay as they are, and later changes of the copied series change nothing here.

    series_id
        A series of the community with a rating scheme; None for the defaults of each rating system. ContestError for
        any other series.
    """
    community = Community.objects.select_for_update(no_key=True).get(pk=slug)
    old = DefaultDisplay.objects.filter(community=community).first()
    new = _copied(community, series_id) if series_id is not None else None
    before, after = _as_json(old), _as_json(new)
    if before == after:
        return old
    if new is not None:
        new.save(force_insert=old is None)
    elif old is not None:
        old.delete()
    record("community.tiers", subject=f"community {slug}", community=slug, actor=actor, before=before, after=after)
    return new


def _copied(community: Community, series_id: int) -> DefaultDisplay:
    scheme = Scheme.objects.newest(series_id) if community.series.filter(pk=series_id).exists() else None
    if scheme is None:
        raise ContestError(
            gettext("This series has no rating scheme, or it is not in this community. Choose another one.")
        )
    return DefaultDisplay(community=community, system=scheme.system, display=scheme.display, tiers=scheme.tiers)


def _as_json(default: DefaultDisplay | None) -> dict[str, Any]:
    if default is None:
        return {}
    return {
        "system": default.system,
        "display": default.display,
        "tiers": [[tier["name"], tier["minimum"]] for tier in default.tiers],
        # Colours and symbols may differ between two defaults with the same names and thresholds.
        "colours": [[tier["symbol"], tier["colour_light"], tier["colour_dark"]] for tier in default.tiers],
    }
