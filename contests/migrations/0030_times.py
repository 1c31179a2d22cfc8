from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contests", "0029_planned_each_time")]

    operations = [
        migrations.AddField(
            model_name="contest",
            name="has_times",
            field=models.BooleanField(
                db_default=False, default=False, editable=False, help_text="the penalties are times, in seconds"
            ),
        ),
    ]
