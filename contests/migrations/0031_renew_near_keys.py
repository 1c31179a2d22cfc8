"""Empty the keys of similar names: they get more keys, by which a handle that is a misspelt name is found."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0030_times"),
    ]

    # `migrate` fills the table again in its last step, `contests.matching.name_index.index_if_empty`.
    operations = [
        migrations.RunSQL("DELETE FROM contests_playernearkey", migrations.RunSQL.noop, elidable=True),
    ]
