from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ratings", "0010_tier_colours")]

    operations = [
        migrations.AddIndex(
            model_name="ratingchange",
            index=models.Index(fields=["player", "series", "number"], name="change_of_player_by_number"),
        ),
        migrations.RemoveIndex(model_name="ratingchange", name="change_of_player"),
    ]
