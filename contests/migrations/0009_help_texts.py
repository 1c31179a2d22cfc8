"""New wording of the help texts; the database stays as it is."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0008_upload_state"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(help_text="for example contest.finalize", max_length=40),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="actor_name",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="username at that time; kept when the account is deleted",
                max_length=150,
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="subject",
            field=models.CharField(help_text="the object in words, readable after it is deleted", max_length=400),
        ),
        migrations.AlterField(
            model_name="contest",
            name="asked_by",
            field=models.ForeignKey(
                blank=True,
                help_text="the organizer who asked a second person to finalize the contest",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="is_announced",
            field=models.BooleanField(
                db_default=False, default=False, help_text="anyone can see the name, date and address of the draft"
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="perf_ceiling",
            field=models.FloatField(blank=True, help_text="the greatest performance that counts, in points", null=True),
        ),
        migrations.AlterField(
            model_name="contest",
            name="rating_lower_limit",
            field=models.IntegerField(
                blank=True, help_text="displayed rating; players below it are not ranked", null=True
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="rating_upper_limit",
            field=models.IntegerField(
                blank=True, help_text="displayed rating; players above it are not ranked", null=True
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="sequence",
            field=models.IntegerField(
                db_default=0, default=0, help_text="order among contests that end at the same time"
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="slug",
            field=models.CharField(
                help_text="the ID of the contest in files and exports, unique in its series", max_length=120
            ),
        ),
        migrations.AlterField(
            model_name="contest",
            name="version",
            field=models.PositiveIntegerField(
                db_default=0, default=0, editable=False, help_text="number of changes, to detect concurrent changes"
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="note",
            field=models.CharField(blank=True, default="", help_text="the person it is for", max_length=120),
        ),
        migrations.AlterField(
            model_name="player",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                help_text="the player this one was merged into, never a merged player",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="merged_players",
                to="contests.player",
            ),
        ),
        migrations.AlterField(
            model_name="series",
            name="needs_approval",
            field=models.BooleanField(
                db_default=False, default=False, help_text="a second organizer has to finalize each contest"
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="choices",
            field=models.JSONField(blank=True, editable=False, help_text="current choices of the organizer", null=True),
        ),
        migrations.AlterField(
            model_name="upload",
            name="decisions",
            field=models.JSONField(blank=True, default=dict, help_text="decisions of the organizer: handle -> player"),
        ),
        migrations.AlterField(
            model_name="upload",
            name="lines",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text="0 for a packed file"),
        ),
        migrations.AlterField(
            model_name="upload",
            name="progress",
            field=models.JSONField(
                blank=True, editable=False, help_text="progress of the review by a worker", null=True
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="reading",
            field=models.JSONField(
                blank=True, default=dict, help_text="options for reading the columns; empty if detected"
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="report",
            field=models.JSONField(default=dict, help_text="counts and warnings shown to the organizer"),
        ),
        migrations.AlterField(
            model_name="upload",
            name="review",
            field=models.JSONField(blank=True, editable=False, help_text="findings by these choices", null=True),
        ),
    ]
