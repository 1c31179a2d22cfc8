"""The distinct words of players' names, kept by triggers, for the search for misspelt names."""

from django.db import migrations, models

POSTGRESQL = [
    """
    CREATE FUNCTION contests_learn_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO contests_knownword (word) SELECT DISTINCT added.word FROM added
            WHERE length(added.word) > 2
            AND NOT EXISTS (SELECT 1 FROM contests_knownword known WHERE known.word = added.word);
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION contests_forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM contests_knownword known USING removed WHERE known.word = removed.word
            AND NOT EXISTS (SELECT 1 FROM contests_playerword kept WHERE kept.word = removed.word);
        RETURN NULL;
    END $$
    """,
    "CREATE TRIGGER contests_playerword_learned AFTER INSERT ON contests_playerword REFERENCING NEW TABLE AS added"
    " FOR EACH STATEMENT EXECUTE FUNCTION contests_learn_words()",
    "CREATE TRIGGER contests_playerword_forgotten AFTER DELETE ON contests_playerword REFERENCING OLD TABLE AS removed"
    " FOR EACH STATEMENT EXECUTE FUNCTION contests_forget_words()",
]
POSTGRESQL_UNDO = [
    "DROP TRIGGER contests_playerword_learned ON contests_playerword",
    "DROP TRIGGER contests_playerword_forgotten ON contests_playerword",
    "DROP FUNCTION contests_learn_words()",
    "DROP FUNCTION contests_forget_words()",
]
SQLITE = [
    "CREATE TRIGGER contests_playerword_learned AFTER INSERT ON contests_playerword WHEN length(NEW.word) > 2"
    " AND NOT EXISTS (SELECT 1 FROM contests_knownword WHERE word = NEW.word)"
    " BEGIN INSERT INTO contests_knownword (word) VALUES (NEW.word); END",
    "CREATE TRIGGER contests_playerword_forgotten AFTER DELETE ON contests_playerword"
    " WHEN NOT EXISTS (SELECT 1 FROM contests_playerword WHERE word = OLD.word)"
    " BEGIN DELETE FROM contests_knownword WHERE word = OLD.word; END",
]
SQLITE_UNDO = ["DROP TRIGGER contests_playerword_learned", "DROP TRIGGER contests_playerword_forgotten"]


def fill(apps, schema_editor):
    schema_editor.execute(
        "INSERT INTO contests_knownword (word) SELECT DISTINCT word FROM contests_playerword WHERE length(word) > 2"
    )


def create_triggers(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop_triggers(apps, schema_editor):
    for statement in POSTGRESQL_UNDO if schema_editor.connection.vendor == "postgresql" else SQLITE_UNDO:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0021_shares_and_handicaps")]

    operations = [
        migrations.CreateModel(
            name="KnownWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("word", models.CharField(max_length=64)),
            ],
            options={"indexes": [models.Index(fields=["word"], name="known_word")]},
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
