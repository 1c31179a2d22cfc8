"""Invitations to a role in a community."""

import django.db.models.deletion
from django.db import migrations, models

ROLES = [("owner", "owner"), ("organizer", "organizer"), ("viewer", "viewer")]


def communities_of_invitations(apps, schema_editor):
    invitation, series = apps.get_model("contests", "Invitation"), apps.get_model("contests", "Series")
    own = series.objects.filter(pk=models.OuterRef("series")).values("community")
    invitation.objects.update(community=models.Subquery(own))
    if schema_editor.connection.vendor == "postgresql":
        # PostgreSQL does not alter a table whose foreign keys are still to be checked.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [("contests", "0014_hide_private_aliases")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="community",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="contests.community",
            ),
        ),
        migrations.RunPython(communities_of_invitations, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="invitation",
            name="community",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="contests.community"
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="series",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="contests.series",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="role",
            field=models.CharField(choices=ROLES, db_default="organizer", default="organizer", max_length=10),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "organizer", "viewer"])), name="invitation_role_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("series", None), ("role", "organizer"), _connector="OR"),
                name="invitation_to_series_is_for_organizers",
            ),
        ),
    ]
