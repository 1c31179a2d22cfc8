"""
Number each player's rating changes in the order of the contests.

Rows that later runs have closed are counted too, so a number can be greater than the count of rated contests; their
order is right, and the next replay of the series writes them exactly.
"""

from django.db import migrations, models

_NUMBER = """
UPDATE ratings_ratingchange SET number = counted.number FROM (
    SELECT change.id AS id, DENSE_RANK() OVER (
        PARTITION BY change.series_id, change.player_id ORDER BY contest.ends_at, contest.sequence, contest.id
    ) AS number
    FROM ratings_ratingchange AS change JOIN contests_contest AS contest ON contest.id = change.contest_id
) AS counted WHERE counted.id = ratings_ratingchange.id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0003_announced_contests"),
        ("ratings", "0004_closed_changes"),
    ]

    operations = [
        migrations.AddField(
            model_name="ratingchange",
            name="number",
            field=models.PositiveIntegerField(
                default=0, help_text="1 for the player's first rated contest of the series, and so on"
            ),
            preserve_default=False,
        ),
        migrations.RunSQL(_NUMBER, migrations.RunSQL.noop),
    ]
