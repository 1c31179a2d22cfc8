"""The series that another name of a player comes from."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models


def restore_triggers(apps, schema_editor):
    """On SQLite, removing the column rebuilds the table, which loses its triggers."""
    if schema_editor.connection.vendor == "sqlite":
        for statement in import_module("contests.migrations.0011_communities").SQLITE:
            if "ON contests_playeralias" in statement:
                schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0012_community_identity")]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, restore_triggers),
        migrations.AddField(
            model_name="playeralias",
            name="series",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                help_text="the private series whose results contain the name; only its readers may know the name",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="contests.series",
            ),
        ),
    ]
