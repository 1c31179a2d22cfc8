"""Players, their accounts and other names, and the tables by which Podium finds them and their duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Length
from django.dispatch import Signal
from django.urls import reverse

from contests.handles import LONGEST_WORD
from contests.models.community import Community

if TYPE_CHECKING:
    from collections.abc import Iterable


models.CharField.register_lookup(Length)

#: Names of players changed. Sent by these models in the transaction that changes them, with ``player_ids``.
names_changed = Signal()


class PlayerQuerySet(models.QuerySet["Player"]):
    def existing(self) -> PlayerQuerySet:
        """Return all players except merged ones, whose rows stay for earlier runs and for splitting them again."""
        return self.filter(merged_into=None)

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Insert players, and index their names."""
        with transaction.atomic():
            players = super().bulk_create(objs, *args, **kwargs)
            keys: dict[str, list[str]] = {}
            for player in players:
                keys.setdefault(player.community_id, []).append(player.handle_key)
            ids = [
                pk
                for community, own in keys.items()
                for pk in Player.objects.filter(community=community, handle_key__in=own).values_list("pk", flat=True)
            ]
            names_changed.send(sender=Player, player_ids=ids)
        return players

    def update(self, **kwargs: Any) -> int:
        """Update players, and index their names if these change."""
        if not {"handle", "name"} & set(kwargs):
            return super().update(**kwargs)
        with transaction.atomic():
            ids = list(self.values_list("pk", flat=True))
            count = super().update(**kwargs)
            names_changed.send(sender=Player, player_ids=ids)
        return count


class Player(models.Model):
    """A person who takes part in contests of a community; one row, regardless of the number of series."""

    community = models.ForeignKey(Community, on_delete=models.PROTECT, related_name="players", db_index=False)
    handle = models.CharField(max_length=128)
    handle_key = models.CharField(max_length=400, editable=False)
    name = models.CharField(max_length=200, blank=True, default="", db_default="")
    country = models.CharField(max_length=2, blank=True, default="", db_default="", help_text="ISO 3166 alpha-2")
    affiliation = models.CharField(max_length=200, blank=True, default="", db_default="")
    picture = models.CharField(
        max_length=16, blank=True, default="", db_default="", editable=False,
        help_text="hash of the picture; empty if none",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="merged_players",
        help_text="the player this one was merged into, never a merged player",
    )  # fmt: skip

    objects = PlayerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["community", "handle_key"], name="player_key_in_community"),
            models.CheckConstraint(condition=~Q(handle=""), name="player_has_a_handle"),
            models.CheckConstraint(condition=Q(country="") | Q(country__length=2), name="player_country_is_alpha_2"),
            models.CheckConstraint(
                condition=Q(merged_into=None) | ~Q(merged_into=models.F("id")), name="player_not_merged_into_itself"
            ),
        ]
        indexes = [
            models.Index(fields=["country", "id"], name="player_by_country"),
            models.Index(fields=["handle_key"], opclasses=["varchar_pattern_ops"], name="player_by_handle_key"),
            models.Index(fields=["community", "id"], name="player_of_community"),
        ]

    def __str__(self) -> str:
        return self.handle

    def get_absolute_url(self) -> str:
        return reverse("player", args=[self.community_id, self.handle])

    @property
    def picture_address(self) -> str:
        """The path of the picture, which contains its hash; empty without a picture."""
        return reverse("player-picture", args=[self.community_id, self.pk, self.picture]) if self.picture else ""


class PlayerPicture(models.Model):
    """The picture of a player: a square WebP file. `services.pictures` writes it together with its hash."""

    player = models.OneToOneField(Player, on_delete=models.CASCADE, primary_key=True, related_name="picture_file")
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"picture of {self.player_id}"


class PlayerClaim(models.Model):
    """
    The account of a player: someone with the account is this player.

    It gives no rights except to report games, and no page shows others who has an account
    (docs/decisions/0022-claims-and-reports.md). `services.claims` writes it.

    wants_mail
        Whether the person gets an email when an opponent reports a game.
    """

    community = models.ForeignKey(
        Community, on_delete=models.CASCADE, related_name="+", db_index=False, help_text="that of the player"
    )
    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="claim")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    wants_mail = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["community", "user"], name="claim_once_in_community")]

    def __str__(self) -> str:
        return f"{self.user_id} is player {self.player_id}"


class PlayerAliasQuerySet(models.QuerySet["PlayerAlias"]):
    def update(self, **kwargs: Any) -> int:
        """Update aliases, and index the names of the players who had or have them."""
        with transaction.atomic():
            ids = dict(self.values_list("pk", "player_id"))
            count = super().update(**kwargs)
            now = PlayerAlias.objects.filter(pk__in=ids).values_list("player_id", flat=True)
            names_changed.send(sender=PlayerAlias, player_ids={*ids.values(), *now})
        return count


class PlayerAlias(models.Model):
    """An earlier handle, or another name in results; lookups of it find the player."""

    community = models.ForeignKey(
        Community, on_delete=models.PROTECT, related_name="+", db_index=False, editable=False,
        help_text="that of the player",
    )  # fmt: skip
    handle = models.CharField(max_length=128)
    handle_key = models.CharField(max_length=400, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases")
    series = models.ForeignKey(
        "contests.Series", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False,
        help_text="the private series whose results contain the name; only its readers may know the name",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PlayerAliasQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "player aliases"
        constraints = [models.UniqueConstraint(fields=["community", "handle_key"], name="alias_key_in_community")]
        indexes = [models.Index(fields=["handle_key"], opclasses=["varchar_pattern_ops"], name="alias_by_handle_key")]

    def __str__(self) -> str:
        return self.handle

    def save(self, **kwargs: Any) -> None:
        """Save the alias in the community of its player."""
        self.community_id = self.player.community_id
        super().save(**kwargs)


class PlayerMerge(models.Model):
    """
    A merge of two players who are the same person, with everything needed to split them again.

    `standings`, `aliases` and `players` are the ids of the rows moved from the merged player to the kept one: results,
    other names, and players merged into the merged one earlier. `picture` is the hash of the picture, if it moved too.
    """

    kept = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    merged = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    standings = models.JSONField(default=list)
    aliases = models.JSONField(default=list)
    players = models.JSONField(default=list)
    picture = models.CharField(max_length=16, blank=True, default="", db_default="", editable=False)
    reason = models.TextField(blank=True, default="")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    split_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merged"], condition=Q(split_at=None), name="player_merged_once")
        ]

    def __str__(self) -> str:
        return f"{self.merged_id} into {self.kept_id}"


class DuplicateSearch(models.Model):
    """
    The newest search for duplicates among the players of a series, and its result; deleting the row loses nothing.

    stamp
        Identifies the newest request; only its worker writes here.
    progress
        The progress of that request (`contests.progress`).
    found
        The result of the newest complete search: ids of pairs, and what was left out; None if there is none yet.
    state
        The state of the players before that search; the result is outdated if they have another one now.
    """

    series = models.OneToOneField(
        "contests.Series", primary_key=True, on_delete=models.CASCADE, related_name="duplicate_search"
    )
    stamp = models.CharField(max_length=32)
    progress = models.JSONField()
    found = models.JSONField(null=True)
    state = models.JSONField(null=True)
    searched_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "duplicate searches"

    def __str__(self) -> str:
        return f"duplicates in series {self.series_id}"


class PlayerKey(models.Model):
    """
    The key of a handle or of another name; each belongs to at most one player of a community.

    Only triggers on the tables of players and aliases write these rows. A statement that adds a player or an alias
    either takes the key or fails with an IntegrityError.
    """

    pk = models.CompositePrimaryKey("community_id", "key")
    community = models.ForeignKey(
        Community, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    key = models.CharField(max_length=400)

    def __str__(self) -> str:
        return self.key


class PlayerWord(models.Model):
    """A folded word of a player's handle, other names or name, found by prefix (`matching.name_index`)."""

    pk = models.CompositePrimaryKey("player_id", "word")
    # No constraint: checking millions of rows takes longer than writing them, and `name_index` can rebuild them.
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="words"
    )
    word = models.CharField(max_length=LONGEST_WORD)

    class Meta:
        indexes = [
            models.Index(
                fields=["word", "player"], opclasses=["varchar_pattern_ops", "int8_ops"], name="player_by_word"
            )
        ]

    def __str__(self) -> str:
        return self.word


class PlayerNearKey(models.Model):
    """
    A key that a player's names share with similar names of the community (`contests.matching.similarity`).

    Keys of different communities differ: `name_index` combines each with a number of the community.
    """

    pk = models.CompositePrimaryKey("player_id", "key")
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="near_keys"
    )
    key = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["key", "player"], name="player_by_near_key")]

    def __str__(self) -> str:
        return str(self.key)


class KnownWord(models.Model):
    """
    A word of the names of players, contests, series and communities, usually stored only once, so that few rows are
    similar to a misspelt word (`matching.known_words`).

    Only triggers on the tables of these words write these rows.
    """

    word = models.CharField(max_length=LONGEST_WORD)

    class Meta:
        indexes = [models.Index(fields=["word"], name="known_word")]

    def __str__(self) -> str:
        return self.word
