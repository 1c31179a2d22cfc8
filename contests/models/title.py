"""The table by which Podium finds contests, series and communities whose names someone misspells."""

from __future__ import annotations

from django.db import models

from contests.handles import LONGEST_WORD
from contests.models.community import Community
from contests.models.contest import Contest, Series


class TitleWord(models.Model):
    """
    A folded word of the name of a contest, a series or a community (`matching.titles`); exactly one of them is set.

    Games of events have no words, because searches list only their events.
    """

    word = models.CharField(max_length=LONGEST_WORD)
    contest = models.ForeignKey(Contest, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    series = models.ForeignKey(Series, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    community = models.ForeignKey(Community, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contest", "word"], name="word_of_contest"),
            models.UniqueConstraint(fields=["series", "word"], name="word_of_series"),
            models.UniqueConstraint(fields=["community", "word"], name="word_of_community"),
        ]
        indexes = [
            models.Index(
                fields=["word", "contest", "series", "community"],
                opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops", "text_ops"],
                name="title_by_word",
            )
        ]

    def __str__(self) -> str:
        return self.word
