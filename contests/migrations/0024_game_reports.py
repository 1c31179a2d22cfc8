"""Games that players report, and the series that allow it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0023_player_claims"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="series",
            name="takes_reports",
            field=models.BooleanField(
                db_default=False, default=False, help_text="players with an account may report games"
            ),
        ),
        migrations.CreateModel(
            name="GameReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("outcome", models.SmallIntegerField()),
                ("score", models.FloatField(blank=True, null=True)),
                ("opponent_score", models.FloatField(blank=True, null=True)),
                ("day", models.DateField(help_text="of the game, in UTC")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("disputed", "disputed"),
                            ("confirmed", "confirmed"),
                            ("accepted", "accepted by an organizer"),
                            ("rejected", "rejected by an organizer"),
                            ("withdrawn", "withdrawn"),
                            ("expired", "expired"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True, default="", help_text="why it was disputed or rejected", max_length=300
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        blank=True,
                        help_text="what it became",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="contests.contest",
                    ),
                ),
                (
                    "opponent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports_of_opponents",
                        to="contests.player",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="contests.player"
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "series",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="contests.series",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["series", "state", "-created_at"], name="report_by_state"),
                    models.Index(fields=["reported_by", "created_at"], name="report_by_account"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("outcome__in", (1, 0, -1))), name="report_outcome_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["waiting", "disputed", "confirmed", "accepted", "rejected", "withdrawn", "expired"],
                            )
                        ),
                        name="report_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("player", models.F("opponent")), _negated=True),
                        name="report_of_two_players",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("opponent_score", None), ("score", None)),
                            models.Q(("opponent_score__isnull", False), ("score__isnull", False)),
                            _connector="OR",
                        ),
                        name="report_has_both_scores_or_none",
                    ),
                ],
            },
        ),
    ]
