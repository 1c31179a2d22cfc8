from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class AddConstraintOnNewColumn(migrations.AddConstraint):
    """A constraint that all rows meet, as their new column is null: PostgreSQL adds it without reading the table."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            unchecked = AddConstraintNotValid(self.model_name, self.constraint)
            unchecked.database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("contests", "0020_names_first")]

    operations = [
        migrations.AddField(
            model_name="contest",
            name="has_handicaps",
            field=models.BooleanField(
                db_default=False, default=False, editable=False, help_text="someone has an advantage in rating points"
            ),
        ),
        migrations.AddField(
            model_name="contest",
            name="has_shares",
            field=models.BooleanField(
                db_default=False, default=False, editable=False, help_text="someone took part for only a share of it"
            ),
        ),
        migrations.AddField(
            model_name="standing",
            name="handicap",
            field=models.FloatField(
                blank=True,
                help_text="advantage in rating points, the same for all members of a team; empty for none",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="standing",
            name="share",
            field=models.FloatField(
                blank=True,
                help_text="the share of the contest that the player took part in; empty for all of it",
                null=True,
            ),
        ),
        AddConstraintOnNewColumn(
            model_name="standing",
            constraint=models.CheckConstraint(
                condition=models.Q(("share", None), models.Q(("share__gt", 0), ("share__lte", 1)), _connector="OR"),
                name="standing_share_in_range",
            ),
        ),
    ]
