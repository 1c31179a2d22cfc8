"""Pictures of players."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddColumnInPlace(migrations.AddField):
    """
    A column with a constant default, which every database adds without reading the table.

    Django would copy the table on SQLite, which takes a long time for many players and loses the triggers of the table.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            BaseDatabaseSchemaEditor.add_field(schema_editor, model, model._meta.get_field(self.name))


class Migration(migrations.Migration):
    dependencies = [("contests", "0027_words_of_titles")]

    operations = [
        AddColumnInPlace(
            model_name="player",
            name="picture",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="hash of the picture; empty if none",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="playermerge",
            name="picture",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=16),
        ),
        migrations.CreateModel(
            name="PlayerPicture",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="picture_file",
                        serialize=False,
                        to="contests.player",
                    ),
                ),
                ("content", models.BinaryField()),
            ],
        ),
    ]
