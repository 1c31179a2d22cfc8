"""Players and the other names they are known by."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.urls import reverse

from contests.handles import handle_key

models.CharField.register_lookup(Length)


class PlayerQuerySet(models.QuerySet["Player"]):
    def matching(self, text: str) -> PlayerQuerySet:
        """Players whose handle contains the text, whatever its case."""
        return self.filter(handle_key__contains=handle_key(text))


class Player(models.Model):
    """Somebody who takes part in contests; one row whatever the number of series."""

    handle = models.CharField(max_length=128)
    handle_key = models.CharField(max_length=400, unique=True, editable=False)
    name = models.CharField(max_length=200, blank=True, default="", db_default="")
    country = models.CharField(max_length=2, blank=True, default="", db_default="", help_text="ISO 3166 alpha-2")
    affiliation = models.CharField(max_length=200, blank=True, default="", db_default="")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PlayerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(handle=""), name="player_has_a_handle"),
            models.CheckConstraint(condition=Q(country="") | Q(country__length=2), name="player_country_is_alpha_2"),
        ]
        indexes = [models.Index(fields=["country", "id"], name="player_by_country")]

    def __str__(self) -> str:
        return self.handle

    def get_absolute_url(self) -> str:
        return reverse("player", args=[self.handle])


class PlayerAlias(models.Model):
    """An old handle, or the handle of a player who was merged into this one; look-ups lead to the player."""

    handle = models.CharField(max_length=128)
    handle_key = models.CharField(max_length=400, unique=True, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "player aliases"

    def __str__(self) -> str:
        return self.handle
