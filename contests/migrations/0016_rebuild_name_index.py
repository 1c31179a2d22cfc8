"""
Empty the index of names, which is rebuilt after the migrations.

Names from private series, hidden by migration 14, are no longer among the words that visitors search, and letters that only look like Latin ones
have other keys.
"""

from django.db import migrations


def empty(apps, schema_editor):
    for table in ("contests_playerword", "contests_playernearkey"):
        schema_editor.execute(f"DELETE FROM {table}")


class Migration(migrations.Migration):
    dependencies = [("contests", "0015_invitations_to_communities")]

    operations = [migrations.RunPython(empty, migrations.RunPython.noop, elidable=True)]
