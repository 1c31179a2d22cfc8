"""The series that another name of a player comes from."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contests", "0012_community_identity")]

    operations = [
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
