"""The identity of communities: website, accent colour, licence and logo."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("contests", "0011_communities"),
    ]

    operations = [
        migrations.CreateModel(
            name="CommunityLogo",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("size", models.PositiveSmallIntegerField()),
                ("content", models.BinaryField()),
            ],
        ),
        migrations.AddField(
            model_name="community",
            name="accent",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="colour of links and buttons on the community's pages, such as #1a7f37",
                max_length=7,
                validators=[
                    django.core.validators.RegexValidator(
                        "^#[0-9a-f]{6}\\Z", "Enter the accent colour as #1a7f37: # and six digits."
                    )
                ],
            ),
        ),
        migrations.AddField(
            model_name="community",
            name="licence",
            field=models.CharField(
                blank=True,
                choices=[
                    ("CC0-1.0", "CC0 1.0 (public domain)"),
                    ("CC-BY-4.0", "CC BY 4.0 (attribution)"),
                    ("CC-BY-SA-4.0", "CC BY-SA 4.0 (attribution, share alike)"),
                    ("CC-BY-NC-4.0", "CC BY-NC 4.0 (attribution, not commercial)"),
                    ("ODbL-1.0", "ODbL 1.0 (open database)"),
                ],
                db_default="",
                default="",
                help_text="licence of results and ratings",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="community",
            name="logo",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="hash of the logo; empty if none",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="community",
            name="website",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=300,
                validators=[
                    django.core.validators.URLValidator(
                        ["http", "https"],
                        message="Enter the whole address of the website, such as https://example.org/.",
                    )
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="community",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("licence__in", ["", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0"])
                ),
                name="community_licence_is_known",
            ),
        ),
        migrations.AddField(
            model_name="communitylogo",
            name="community",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="logos",
                to="contests.community",
            ),
        ),
        migrations.AddConstraint(
            model_name="communitylogo",
            constraint=models.UniqueConstraint(fields=("community", "size"), name="logo_once_in_each_size"),
        ),
    ]
