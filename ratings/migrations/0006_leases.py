"""Rows that say which process works on a series, in place of session locks; ids of runs that are never reused."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def give_uids(name):
    def give(apps, schema_editor):
        model = apps.get_model("ratings", name)
        while rows := list(model.objects.filter(uid=None).only("pk")[:2000]):
            for row in rows:
                row.uid = uuid.uuid4()
            model.objects.bulk_update(rows, ["uid"], batch_size=400)

    return give


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0004_not_ranked"),
        ("ratings", "0005_number_changes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Lease",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("work", models.CharField(choices=[("rate", "rate"), ("derive", "derive")], max_length=10)),
                ("fence", models.BigIntegerField(default=0)),
                (
                    "holder",
                    models.CharField(blank=True, default="", help_text="host and process, for people", max_length=120),
                ),
                ("taken_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, help_text="empty: nobody is at work", null=True)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="attempts begun since one ended in order; the process of all others died or froze",
                    ),
                ),
                (
                    "failures",
                    models.PositiveSmallIntegerField(default=0, help_text="attempts in a row that ended with an error"),
                ),
                ("not_before", models.DateTimeField(blank=True, help_text="when sweeps may try again", null=True)),
                (
                    "rung_at",
                    models.DateTimeField(blank=True, help_text="since when a message is on its way", null=True),
                ),
                (
                    "done_run",
                    models.UUIDField(
                        blank=True, help_text="derive: the run that all kinds were derived from", null=True
                    ),
                ),
                ("done_scheme", models.UUIDField(blank=True, help_text="derive: the newest scheme then", null=True)),
                (
                    "done_kinds",
                    models.CharField(blank=True, default="", help_text="derive: a hash of the kinds", max_length=64),
                ),
                (
                    "again_at",
                    models.DateTimeField(blank=True, help_text="derive: when a kind that rests is due", null=True),
                ),
            ],
        ),
        migrations.AddField(model_name="run", name="uid", field=models.UUIDField(editable=False, null=True)),
        migrations.RunPython(give_uids("run"), migrations.RunPython.noop),
        migrations.AlterField(
            model_name="run",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4,
                editable=False,
                help_text="never given twice, also not after a backup was restored: what caches are keyed by",
                unique=True,
            ),
        ),
        migrations.AddField(model_name="scheme", name="uid", field=models.UUIDField(editable=False, null=True)),
        migrations.RunPython(give_uids("scheme"), migrations.RunPython.noop),
        migrations.AlterField(
            model_name="scheme",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4, editable=False, help_text="never given twice; see Run.uid", unique=True
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["state", "series"], name="run_state"),
        ),
        migrations.AddField(
            model_name="lease",
            name="series",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="leases", to="contests.series"
            ),
        ),
        migrations.AddConstraint(
            model_name="lease",
            constraint=models.UniqueConstraint(fields=("series", "work"), name="lease_once"),
        ),
    ]
