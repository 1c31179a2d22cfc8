"""What players are found by: the keys that no two may share, and the index of the search."""

from __future__ import annotations

from django.db import models

from contests.folding import LONGEST_WORD
from contests.models.player import Player


class PlayerKey(models.Model):
    """
    The key of a handle or of another name: each leads to one player at most.

    Triggers on the tables of players and aliases write these rows, and nothing else does: whatever adds a player or an
    alias takes its key, or fails with an IntegrityError.
    """

    key = models.CharField(max_length=400, primary_key=True)

    def __str__(self) -> str:
        return self.key


class PlayerWord(models.Model):
    """A word of a player's handle, other names or name, folded, found by how it begins (`matching.name_index`)."""

    pk = models.CompositePrimaryKey("player_id", "word")
    # No constraint: checking millions of rows costs more than writing them, and `name_index` makes them anew.
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
    """A key that names like one of the player's have, too (`contests.matching.near_keys`)."""

    pk = models.CompositePrimaryKey("player_id", "key")
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="near_keys"
    )
    key = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["key", "player"], name="player_by_near_key")]

    def __str__(self) -> str:
        return str(self.key)
