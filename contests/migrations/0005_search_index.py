"""One key space of handles and aliases, kept by triggers, and the index of names that search and uploads use."""

import django.db.models.deletion
from django.db import migrations, models

REASON = "Another player has this handle. A handle and another name may no longer be the same; the handle stays."

POSTGRESQL = [
    """
    CREATE FUNCTION contests_take_player_keys() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO contests_playerkey (key) SELECT handle_key FROM added;
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION contests_change_player_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM contests_playerkey WHERE key = OLD.handle_key;
        IF TG_OP = 'UPDATE' THEN
            INSERT INTO contests_playerkey (key) VALUES (NEW.handle_key);
        END IF;
        RETURN NULL;
    END $$
    """,
    *(
        statement.format(table=table)
        for table in ("contests_player", "contests_playeralias")
        for statement in (
            "CREATE TRIGGER {table}_key_added AFTER INSERT ON {table} REFERENCING NEW TABLE AS added"
            " FOR EACH STATEMENT EXECUTE FUNCTION contests_take_player_keys()",
            "CREATE TRIGGER {table}_key_changed AFTER UPDATE OF handle_key ON {table} FOR EACH ROW"
            " WHEN (OLD.handle_key <> NEW.handle_key) EXECUTE FUNCTION contests_change_player_key()",
            "CREATE TRIGGER {table}_key_gone AFTER DELETE ON {table} FOR EACH ROW"
            " EXECUTE FUNCTION contests_change_player_key()",
        )
    ),
]
POSTGRESQL_UNDO = [
    *(
        f"DROP TRIGGER {table}_key_{what} ON {table}"
        for table in ("contests_player", "contests_playeralias")
        for what in ("added", "changed", "gone")
    ),
    "DROP FUNCTION contests_take_player_keys()",
    "DROP FUNCTION contests_change_player_key()",
]

# RAISE, because INSERT OR IGNORE would let its trigger ignore a key that is taken.
_TAKE = """
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: contests_playerkey.key')
        WHERE EXISTS (SELECT 1 FROM contests_playerkey WHERE key = NEW.handle_key);
    INSERT INTO contests_playerkey (key) VALUES (NEW.handle_key);
"""
_GIVE = "DELETE FROM contests_playerkey WHERE key = OLD.handle_key;"
SQLITE = [
    statement.format(table=table)
    for table in ("contests_player", "contests_playeralias")
    for statement in (
        f"CREATE TRIGGER {{table}}_key_added AFTER INSERT ON {{table}} BEGIN {_TAKE} END",
        "CREATE TRIGGER {table}_key_changed AFTER UPDATE OF handle_key ON {table}"
        f" WHEN OLD.handle_key <> NEW.handle_key BEGIN {_GIVE} {_TAKE} END",
        f"CREATE TRIGGER {{table}}_key_gone AFTER DELETE ON {{table}} BEGIN {_GIVE} END",
    )
]
SQLITE_UNDO = [
    f"DROP TRIGGER {table}_key_{what}"
    for table in ("contests_player", "contests_playeralias")
    for what in ("added", "changed", "gone")
]


def drop_aliases_that_are_handles(apps, schema_editor):
    alias_model, player_model = apps.get_model("contests", "PlayerAlias"), apps.get_model("contests", "Player")
    taken = models.Exists(player_model.objects.filter(handle_key=models.OuterRef("handle_key")))
    for alias in alias_model.objects.filter(taken).select_related("player").order_by("pk"):
        apps.get_model("contests", "AuditEntry").objects.create(
            action="player.unalias",
            subject=f"{alias.handle} from {alias.player.handle}"[:400],
            player=alias.player,
            reason=REASON,
            before={"alias": alias.handle},
        )
        alias.delete()


def fill_keys(apps, schema_editor):
    for table in ("contests_player", "contests_playeralias"):
        schema_editor.execute(f"INSERT INTO contests_playerkey (key) SELECT handle_key FROM {table}")


def create_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    if is_postgresql:
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for statement in POSTGRESQL if is_postgresql else SQLITE:
        schema_editor.execute(statement)


def drop_triggers(apps, schema_editor):
    for statement in POSTGRESQL_UNDO if schema_editor.connection.vendor == "postgresql" else SQLITE_UNDO:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0004_not_ranked")]

    operations = [
        migrations.CreateModel(
            name="PlayerKey",
            fields=[("key", models.CharField(max_length=400, primary_key=True, serialize=False))],
        ),
        migrations.CreateModel(
            name="PlayerNearKey",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id", "key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("key", models.BigIntegerField()),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE,
                        related_name="near_keys", to="contests.player",
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["key", "player"], name="player_by_near_key")]},
        ),
        migrations.CreateModel(
            name="PlayerWord",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id", "word", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("word", models.CharField(max_length=64)),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE,
                        related_name="words", to="contests.player",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["word", "player"], name="player_by_word",
                        opclasses=["varchar_pattern_ops", "int8_ops"],
                    )
                ]
            },
        ),
        migrations.RunPython(drop_aliases_that_are_handles, migrations.RunPython.noop),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
        migrations.RunPython(create_triggers, drop_triggers),
    ]  # fmt: skip
