"""Keep the names of deleted accounts in the runs, schemes and marks that they made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0006_leases"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="actor_name",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="kept when the account is deleted", max_length=150
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="cancelled_by_name",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="kept when the account is deleted", max_length=150
            ),
        ),
        migrations.AddField(
            model_name="scheme",
            name="created_by_name",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="kept when the account is deleted", max_length=150
            ),
        ),
        migrations.AddField(
            model_name="stalemark",
            name="actor_name",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="kept when the account is deleted", max_length=150
            ),
        ),
    ]
