"""How a series is rated and shown."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from django.conf import settings
from django.db import models

from contests.models import Series, author_in_words


class SchemeQuerySet(models.QuerySet["Scheme"]):
    def newest(self, series_id: int) -> Scheme | None:
        """The version in force."""
        return self.filter(series_id=series_id).order_by("-version").first()


class Scheme(models.Model):
    """One version of a series' rating rules: the system with its parameters, and how its ratings are shown."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="never given twice; see Run.uid")
    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="schemes", db_index=False)
    version = models.PositiveIntegerField()
    system = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    display = models.JSONField(default=dict, blank=True)
    tiers = models.JSONField(default=list, blank=True)
    leagues = models.JSONField(default=dict, blank=True, help_text="how tiers are gained and lost; empty: at once")
    season = models.JSONField(default=dict, blank=True, help_text="season points; empty: there are none")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_by_name = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="kept when the account is deleted"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SchemeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "version"], name="scheme_version_in_series")]

    def __str__(self) -> str:
        return f"{self.system} v{self.version}"

    @property
    def who(self) -> str:
        """The account or command that chose this version, in words; also after the account was deleted."""
        return author_in_words(self.created_by, self.created_by_name)

    def rates_alike(self, other: Scheme) -> bool:
        """Whether the other version gives the same numbers and order, so that nothing has to be rated again."""
        return self._numbers() == other._numbers()

    def is_like(self, other: Scheme) -> bool:
        """Whether the other version says the same in all: numbers, display, tiers, leagues and season points."""
        return self.rates_alike(other) and self._views() == other._views()

    def has_points_of(self, other: Scheme) -> bool:
        """Whether rating points mean the same in both, so that one can show what the other rated."""
        return (self.system, self.parameters) == (other.system, other.parameters)

    def digest(self) -> str:
        """Return a hash of all that the numbers depend on; versions that rate alike have the same."""
        return hashlib.sha256(json.dumps(self._numbers(), sort_keys=True).encode()).hexdigest()

    def _views(self) -> tuple[Any, ...]:
        return self.display, self.tiers, self.leagues, self.season

    def _numbers(self) -> tuple[str, dict[str, Any], float]:
        # k, how far the sort score lies below the mean, is the one part of the display that is stored with ratings.
        return self.system, self.parameters, float(self.display.get("k", 0.0))
