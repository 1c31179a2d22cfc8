"""Indexes by which each list of contests, and the history of a series, is read in its order from any place."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0006_audit_actor_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="contest",
            name="contest_newest",
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="series",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="audit_entries",
                to="contests.series",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["series", "at", "id"], name="audit_of_series"),
        ),
        migrations.AddIndex(
            model_name="contest",
            index=models.Index(fields=["state", "ends_at", "sequence", "id"], name="contest_by_state"),
        ),
        migrations.AddIndex(
            model_name="contest",
            index=models.Index(
                fields=["series", "state", "ends_at", "sequence", "id"], name="contest_of_series_by_state"
            ),
        ),
    ]
