"""
Communities, which own series, players and their other names.

Everything that exists goes into one community, PODIUM_COMMUNITY, whose owners are the superusers. People who organize
series keep exactly these.
"""

import hashlib
from importlib import import_module

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

#: The migration whose triggers these replace.
OLD = import_module("contests.migrations.0005_search_index")
TABLES = ("contests_player", "contests_playeralias")

POSTGRESQL = [
    """
    CREATE FUNCTION contests_take_player_keys() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO contests_playerkey (community_id, key) SELECT community_id, handle_key FROM added;
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION contests_change_player_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM contests_playerkey WHERE community_id = OLD.community_id AND key = OLD.handle_key;
        IF TG_OP = 'UPDATE' THEN
            INSERT INTO contests_playerkey (community_id, key) VALUES (NEW.community_id, NEW.handle_key);
        END IF;
        RETURN NULL;
    END $$
    """,
    *(
        statement.format(table=table)
        for table in TABLES
        for statement in (
            "CREATE TRIGGER {table}_key_added AFTER INSERT ON {table} REFERENCING NEW TABLE AS added"
            " FOR EACH STATEMENT EXECUTE FUNCTION contests_take_player_keys()",
            "CREATE TRIGGER {table}_key_changed AFTER UPDATE OF handle_key, community_id ON {table} FOR EACH ROW"
            " WHEN (OLD.handle_key <> NEW.handle_key OR OLD.community_id <> NEW.community_id)"
            " EXECUTE FUNCTION contests_change_player_key()",
            "CREATE TRIGGER {table}_key_gone AFTER DELETE ON {table} FOR EACH ROW"
            " EXECUTE FUNCTION contests_change_player_key()",
        )
    ),
]
# RAISE, because INSERT OR IGNORE would let its trigger ignore a key that is taken.
_TAKE = """
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: contests_playerkey.key') WHERE EXISTS (
        SELECT 1 FROM contests_playerkey WHERE community_id = NEW.community_id AND key = NEW.handle_key
    );
    INSERT INTO contests_playerkey (community_id, key) VALUES (NEW.community_id, NEW.handle_key);
"""
_GIVE = "DELETE FROM contests_playerkey WHERE community_id = OLD.community_id AND key = OLD.handle_key;"
SQLITE = [
    statement.format(table=table)
    for table in TABLES
    for statement in (
        f"CREATE TRIGGER {{table}}_key_added AFTER INSERT ON {{table}} BEGIN {_TAKE} END",
        "CREATE TRIGGER {table}_key_changed AFTER UPDATE OF handle_key, community_id ON {table}"
        " WHEN OLD.handle_key <> NEW.handle_key OR OLD.community_id <> NEW.community_id"
        f" BEGIN {_GIVE} {_TAKE} END",
        f"CREATE TRIGGER {{table}}_key_gone AFTER DELETE ON {{table}} BEGIN {_GIVE} END",
    )
]


def create_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    if is_postgresql:
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for statement in POSTGRESQL if is_postgresql else SQLITE:
        schema_editor.execute(statement)


def fill_keys(apps, schema_editor):
    for table in TABLES:
        schema_editor.execute(
            f"INSERT INTO contests_playerkey (community_id, key) SELECT community_id, handle_key FROM {table}"
        )


def create_first_community(apps, schema_editor):
    series, player = apps.get_model("contests", "Series"), apps.get_model("contests", "Player")
    if not series.objects.exists() and not player.objects.exists():
        return
    slug = settings.PODIUM_COMMUNITY
    community = apps.get_model("contests", "Community").objects.create(slug=slug, name=slug.replace("-", " ").title())
    user = apps.get_model(settings.AUTH_USER_MODEL)
    membership = apps.get_model("contests", "Membership")
    membership.objects.bulk_create(
        membership(community=community, user=one, role="owner") for one in user.objects.filter(is_superuser=True)
    )


def settle_series(apps, schema_editor):
    """The visibility that a series had is the one that its organizers chose."""
    series = apps.get_model("contests", "Series").objects.filter(is_public=False)
    series.update(is_private=True, is_listed=False)


def salt_near_keys(apps, schema_editor):
    """Combine the near keys with the number of their community, as `contests.matching.name_index` does from now on."""
    digest = hashlib.blake2b(settings.PODIUM_COMMUNITY.encode(), digest_size=8).digest()
    salt = int.from_bytes(digest, "big", signed=True)
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    # SQLite has no operator for exclusive or. A literal for the smallest number would overflow before its sign.
    salted = f"key # ({salt})::bigint" if is_postgresql else f"(~(key & {salt})) & (key | {salt})"
    schema_editor.execute(f"UPDATE contests_playernearkey SET key = {salted}")


def community_of_audit_entries(apps, schema_editor):
    entry = apps.get_model("contests", "AuditEntry")
    entry.objects.exclude(series=None, contest=None, player=None).update(community=settings.PODIUM_COMMUNITY)


def owner(**options):
    return models.ForeignKey(to="contests.community", db_index=False, **options)


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0010_audit_chain"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Community",
            fields=[
                (
                    "slug",
                    models.CharField(
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(-[a-z0-9]+)*\\Z",
                                "Use lower-case letters, digits and single hyphens between them, such as “harbour-club”.",
                            )
                        ],
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True, db_default="", default="")),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "public"), ("unlisted", "unlisted"), ("private", "private")],
                        db_default="public",
                        default="public",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"verbose_name_plural": "communities", "ordering": ["name"]},
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "owner"), ("organizer", "organizer"), ("viewer", "viewer")], max_length=10
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("community", owner(on_delete=django.db.models.deletion.CASCADE, related_name="memberships")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="community",
            constraint=models.CheckConstraint(condition=~models.Q(name=""), name="community_has_a_name"),
        ),
        migrations.AddConstraint(
            model_name="community",
            constraint=models.CheckConstraint(
                condition=models.Q(visibility__in=["public", "unlisted", "private"]),
                name="community_visibility_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=["community", "user"], name="member_once"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(role__in=["owner", "organizer", "viewer"]), name="member_role_is_known"
            ),
        ),
        migrations.RunPython(create_first_community, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(OLD.drop_triggers, OLD.create_triggers),
        migrations.AddField(
            model_name="series",
            name="community",
            field=owner(
                default=settings.PODIUM_COMMUNITY, on_delete=django.db.models.deletion.PROTECT, related_name="series"
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="series",
            name="is_private",
            field=models.BooleanField(
                db_default=False, default=False, help_text="only members of the community can see it"
            ),
        ),
        migrations.AddField(
            model_name="series",
            name="is_listed",
            field=models.BooleanField(db_default=True, default=True, editable=False),
        ),
        migrations.AlterField(
            model_name="series",
            name="is_public",
            field=models.BooleanField(db_default=True, default=True, editable=False),
        ),
        migrations.AlterField(model_name="series", name="slug", field=models.SlugField(max_length=80)),
        migrations.AddConstraint(
            model_name="series",
            constraint=models.UniqueConstraint(fields=["community", "slug"], name="series_slug_in_community"),
        ),
        migrations.AddField(
            model_name="player",
            name="community",
            field=owner(
                default=settings.PODIUM_COMMUNITY, on_delete=django.db.models.deletion.PROTECT, related_name="players"
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="player", name="handle_key", field=models.CharField(editable=False, max_length=400)
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.UniqueConstraint(fields=["community", "handle_key"], name="player_key_in_community"),
        ),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(fields=["handle_key"], name="player_by_handle_key", opclasses=["varchar_pattern_ops"]),
        ),
        migrations.AddIndex(
            model_name="player", index=models.Index(fields=["community", "id"], name="player_of_community")
        ),
        migrations.AddField(
            model_name="playeralias",
            name="community",
            field=owner(
                default=settings.PODIUM_COMMUNITY,
                editable=False,
                help_text="that of the player",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="playeralias", name="handle_key", field=models.CharField(editable=False, max_length=400)
        ),
        migrations.AddConstraint(
            model_name="playeralias",
            constraint=models.UniqueConstraint(fields=["community", "handle_key"], name="alias_key_in_community"),
        ),
        migrations.AddIndex(
            model_name="playeralias",
            index=models.Index(fields=["handle_key"], name="alias_by_handle_key", opclasses=["varchar_pattern_ops"]),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="community",
            field=owner(
                blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="audit_entries"
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["community", "at", "id"], name="audit_of_community"),
        ),
        migrations.RunPython(migrations.RunPython.noop, OLD.fill_keys),
        migrations.DeleteModel(name="PlayerKey"),
        migrations.CreateModel(
            name="PlayerKey",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "community_id", "key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "community",
                    owner(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+"),
                ),
                ("key", models.CharField(max_length=400)),
            ],
        ),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
        migrations.RunPython(settle_series, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(salt_near_keys, salt_near_keys, elidable=True),
        migrations.RunPython(community_of_audit_entries, migrations.RunPython.noop, elidable=True),
        # The old function drops the new triggers too, which have the same names.
        migrations.RunPython(create_triggers, OLD.drop_triggers),
    ]
