"""The words of names of contests, series and communities, for the search for misspelt names."""

import django.db.models.deletion
from django.db import migrations, models

# Numbers are not listed as known words: the rounds of a long series would fill the list, and no number is misspelt.
POSTGRESQL = [
    """
    CREATE FUNCTION contests_learn_title_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO contests_knownword (word) SELECT DISTINCT added.word FROM added
            WHERE length(added.word) > 2 AND added.word ~ '[^0-9]'
            AND NOT EXISTS (SELECT 1 FROM contests_knownword known WHERE known.word = added.word);
        RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION contests_forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM contests_knownword known USING removed WHERE known.word = removed.word
            AND NOT EXISTS (SELECT 1 FROM contests_playerword kept WHERE kept.word = removed.word)
            AND NOT EXISTS (SELECT 1 FROM contests_titleword kept WHERE kept.word = removed.word);
        RETURN NULL;
    END $$
    """,
    "CREATE TRIGGER contests_titleword_learned AFTER INSERT ON contests_titleword REFERENCING NEW TABLE AS added"
    " FOR EACH STATEMENT EXECUTE FUNCTION contests_learn_title_words()",
    "CREATE TRIGGER contests_titleword_forgotten AFTER DELETE ON contests_titleword REFERENCING OLD TABLE AS removed"
    " FOR EACH STATEMENT EXECUTE FUNCTION contests_forget_words()",
]
POSTGRESQL_UNDO = [
    "DROP TRIGGER contests_titleword_learned ON contests_titleword",
    "DROP TRIGGER contests_titleword_forgotten ON contests_titleword",
    "DROP FUNCTION contests_learn_title_words()",
    """
    CREATE OR REPLACE FUNCTION contests_forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM contests_knownword known USING removed WHERE known.word = removed.word
            AND NOT EXISTS (SELECT 1 FROM contests_playerword kept WHERE kept.word = removed.word);
        RETURN NULL;
    END $$
    """,
]
_IS_NOWHERE = (
    "NOT EXISTS (SELECT 1 FROM contests_playerword WHERE word = OLD.word)"
    " AND NOT EXISTS (SELECT 1 FROM contests_titleword WHERE word = OLD.word)"
)
_FORGET = "BEGIN DELETE FROM contests_knownword WHERE word = OLD.word; END"
SQLITE = [
    "DROP TRIGGER contests_playerword_forgotten",
    f"CREATE TRIGGER contests_playerword_forgotten AFTER DELETE ON contests_playerword WHEN {_IS_NOWHERE} {_FORGET}",
    f"CREATE TRIGGER contests_titleword_forgotten AFTER DELETE ON contests_titleword WHEN {_IS_NOWHERE} {_FORGET}",
    "CREATE TRIGGER contests_titleword_learned AFTER INSERT ON contests_titleword WHEN length(NEW.word) > 2"
    " AND NEW.word GLOB '*[^0-9]*' AND NOT EXISTS (SELECT 1 FROM contests_knownword WHERE word = NEW.word)"
    " BEGIN INSERT INTO contests_knownword (word) VALUES (NEW.word); END",
]
SQLITE_UNDO = [
    "DROP TRIGGER contests_titleword_learned",
    "DROP TRIGGER contests_titleword_forgotten",
    "DROP TRIGGER contests_playerword_forgotten",
    "CREATE TRIGGER contests_playerword_forgotten AFTER DELETE ON contests_playerword"
    f" WHEN NOT EXISTS (SELECT 1 FROM contests_playerword WHERE word = OLD.word) {_FORGET}",
]


def create_triggers(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop_triggers(apps, schema_editor):
    for statement in POSTGRESQL_UNDO if schema_editor.connection.vendor == "postgresql" else SQLITE_UNDO:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0026_saving_by_worker")]

    operations = [
        migrations.CreateModel(
            name="TitleWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("word", models.CharField(max_length=64)),
                (
                    "community",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="contests.community",
                    ),
                ),
                (
                    "contest",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="contests.contest",
                    ),
                ),
                (
                    "series",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="contests.series",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["word", "contest", "series", "community"],
                        name="title_by_word",
                        opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops", "text_ops"],
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("contest", "word"), name="word_of_contest"),
                    models.UniqueConstraint(fields=("series", "word"), name="word_of_series"),
                    models.UniqueConstraint(fields=("community", "word"), name="word_of_community"),
                ],
            },
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
