"""
Names whose series is not known stay as hidden as they were.

If the player has results in a series that not everyone may read, the name counts as one from there.
"""

from django.db import migrations, models


def hide_names_of_private_series(apps, schema_editor):
    alias, standing = (apps.get_model("contests", name) for name in ("PlayerAlias", "Standing"))
    private = standing.objects.filter(player=models.OuterRef("player"), contest__series__is_public=False)
    found = private.order_by("pk").values("contest__series")[:1]
    alias.objects.filter(models.Exists(private)).update(series=models.Subquery(found))


class Migration(migrations.Migration):
    dependencies = [("contests", "0013_alias_series")]

    operations = [migrations.RunPython(hide_names_of_private_series, migrations.RunPython.noop)]
