"""The state of a file under review, in its row."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0007_keyset_pages"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="choices",
            field=models.JSONField(blank=True, editable=False, help_text="what its organizer chose so far", null=True),
        ),
        migrations.AddField(
            model_name="upload",
            name="draft",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="staged_uploads",
                to="contests.contest",
            ),
        ),
        migrations.AddField(
            model_name="upload",
            name="is_packed",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="upload",
            name="lines",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text="0 if it is packed"),
        ),
        migrations.AddField(
            model_name="upload",
            name="progress",
            field=models.JSONField(
                blank=True, editable=False, help_text="how far a worker is with the review", null=True
            ),
        ),
        migrations.AddField(
            model_name="upload",
            name="review",
            field=models.JSONField(blank=True, editable=False, help_text="what was found by some choices", null=True),
        ),
        migrations.AddField(
            model_name="upload",
            name="stamp",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=32),
        ),
        migrations.AddField(
            model_name="upload",
            name="state",
            field=models.CharField(
                choices=[("staged", "under review"), ("saved", "saved")],
                db_default="saved",
                default="saved",
                editable=False,
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="upload",
            name="token",
            field=models.CharField(blank=True, editable=False, max_length=32, null=True, unique=True),
        ),
        migrations.AddField(
            model_name="upload",
            name="touched_at",
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(condition=models.Q(("state", "staged")), fields=["touched_at"], name="upload_staged"),
        ),
    ]
