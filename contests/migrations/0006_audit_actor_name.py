"""Keep the name of the person who made a change beside the account, which may be deleted."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import OuterRef, Subquery
from django.utils import timezone


def fill_names(apps, schema_editor):
    entries = apps.get_model("contests", "AuditEntry").objects.using(schema_editor.connection.alias)
    users = apps.get_model(settings.AUTH_USER_MODEL).objects.filter(pk=OuterRef("actor"))
    entries.exclude(actor=None).update(actor_name=Subquery(users.values("username")[:1]))


def withdraw_orphans(apps, schema_editor):
    """End the open invitations of accounts that have been deleted, because no one is responsible for them."""
    invitations = apps.get_model("contests", "Invitation").objects.using(schema_editor.connection.alias)
    invitations.filter(created_by=None, accepted_at=None, withdrawn_at=None).update(withdrawn_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("contests", "0005_search_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditentry",
            name="actor_name",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="as it was then; stays when the account goes",
                max_length=150,
            ),
        ),
        migrations.RunPython(fill_names, migrations.RunPython.noop),
        migrations.RunPython(withdraw_orphans, migrations.RunPython.noop),
    ]
