"""Accounts of players, one for each player and community, in a table of their own, and invitations to them."""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def copy_accounts(apps, schema_editor):
    """Copy the account of each player that has one; no page of earlier versions could set it."""
    player, claim = apps.get_model("contests", "Player"), apps.get_model("contests", "PlayerClaim")
    found = player.objects.exclude(user=None).filter(merged_into=None).values_list("community_id", "pk", "user_id")
    claim.objects.bulk_create(
        claim(community_id=community, player_id=pk, user_id=user) for community, pk, user in found
    )
    if schema_editor.connection.vendor == "postgresql":
        # PostgreSQL does not alter a table whose foreign keys are still to be checked.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def restore_triggers(apps, schema_editor):
    """On SQLite, changing the columns rebuilds the table, which loses its triggers."""
    if schema_editor.connection.vendor == "sqlite":
        for statement in import_module("contests.migrations.0011_communities").SQLITE:
            if "ON contests_player " in statement:
                schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0022_known_words"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="PlayerClaim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("wants_mail", models.BooleanField(db_default=True, default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "community",
                    models.ForeignKey(
                        db_index=False,
                        help_text="that of the player",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="contests.community",
                    ),
                ),
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="claim", to="contests.player"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("community", "user"), name="claim_once_in_community")],
            },
        ),
        migrations.RunPython(copy_accounts, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(migrations.RunPython.noop, restore_triggers),
        migrations.RemoveField(model_name="player", name="user"),
        migrations.RunPython(restore_triggers, migrations.RunPython.noop),
        migrations.AddField(
            model_name="invitation",
            name="player",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="contests.player",
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="role",
            field=models.CharField(
                blank=True,
                choices=[("owner", "owner"), ("organizer", "organizer"), ("viewer", "viewer")],
                db_default="organizer",
                default="organizer",
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="invitation", name="invitation_role_is_known"),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("player", None), ("role__in", ["owner", "organizer", "viewer"])),
                    models.Q(("player__isnull", False), ("role", ""), ("series", None)),
                    _connector="OR",
                ),
                name="invitation_gives_a_role_or_a_player",
            ),
        ),
    ]
