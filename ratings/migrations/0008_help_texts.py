"""New wording of the help texts; the database stays as it is."""

import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0007_deleted_authors"),
    ]

    operations = [
        migrations.AlterField(
            model_name="derived",
            name="content",
            field=models.BinaryField(default=b"", help_text="packed arrays, read and written only by ratings.derived"),
        ),
        migrations.AlterField(
            model_name="lease",
            name="again_at",
            field=models.DateTimeField(blank=True, help_text="derive: when the next kind is due", null=True),
        ),
        migrations.AlterField(
            model_name="lease",
            name="attempts",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="attempts since the last completed one; the processes of all but the newest died or froze",
            ),
        ),
        migrations.AlterField(
            model_name="lease",
            name="done_kinds",
            field=models.CharField(
                blank=True, default="", help_text="derive: a hash of the computed kinds", max_length=64
            ),
        ),
        migrations.AlterField(
            model_name="lease",
            name="done_run",
            field=models.UUIDField(blank=True, help_text="derive: the run of the computed numbers", null=True),
        ),
        migrations.AlterField(
            model_name="lease",
            name="done_scheme",
            field=models.UUIDField(blank=True, help_text="derive: the newest scheme at that time", null=True),
        ),
        migrations.AlterField(
            model_name="lease",
            name="expires_at",
            field=models.DateTimeField(blank=True, help_text="empty: no process is working", null=True),
        ),
        migrations.AlterField(
            model_name="lease",
            name="failures",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="consecutive attempts that ended with an error"
            ),
        ),
        migrations.AlterField(
            model_name="lease",
            name="holder",
            field=models.CharField(blank=True, default="", help_text="host and process", max_length=120),
        ),
        migrations.AlterField(
            model_name="lease",
            name="rung_at",
            field=models.DateTimeField(blank=True, help_text="when the message now on its way was sent", null=True),
        ),
        migrations.AlterField(
            model_name="rating",
            name="belief",
            field=models.BinaryField(help_text="packed float64 values, read and written only by the rating system"),
        ),
        migrations.AlterField(
            model_name="rating",
            name="peak",
            field=models.FloatField(help_text="highest score"),
        ),
        migrations.AlterField(
            model_name="rating",
            name="score",
            field=models.FloatField(help_text="sorts the leaderboard, and the display maps it to the displayed rating"),
        ),
        migrations.AlterField(
            model_name="run",
            name="changed_count",
            field=models.PositiveIntegerField(default=0, help_text="number of rating changes that began with this run"),
        ),
        migrations.AlterField(
            model_name="run",
            name="pool_width",
            field=models.FloatField(
                blank=True, help_text="half the standard deviation of the sort scores, for the Fermi display", null=True
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="restores",
            field=models.PositiveIntegerField(
                blank=True, help_text="roll-back: number of the run whose ratings it publishes again", null=True
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="result_count",
            field=models.PositiveIntegerField(default=0, help_text="number of computed participations"),
        ),
        migrations.AlterField(
            model_name="run",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4,
                editable=False,
                help_text="cache key; never used again, even after a backup was restored",
                unique=True,
            ),
        ),
        migrations.AlterField(
            model_name="scheme",
            name="leagues",
            field=models.JSONField(blank=True, default=dict, help_text="rules of leagues; empty: none"),
        ),
        migrations.AlterField(
            model_name="scheme",
            name="season",
            field=models.JSONField(blank=True, default=dict, help_text="rules of season points; empty: none"),
        ),
        migrations.AlterField(
            model_name="scheme",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4, editable=False, help_text="unique even across backups; see Run.uid", unique=True
            ),
        ),
    ]
