"""Give tiers in the former default colours the new ones, which have one hue in both themes."""

from django.db import migrations

# The colours on light and dark pages, lowest tier first: before and now.
OLD = (
    ("#6e6e6e", "#acacac"), ("#3f5500", "#cdf0a7"), ("#097993", "#89fbe9"), ("#0836fe", "#6883fe"),
    ("#1a01a1", "#efb2ff"), ("#663f5c", "#fb12b6"), ("#630e26", "#dc9172"), ("#92654b", "#fee431"),
)  # fmt: skip
NEW = (
    ("#6b6b6b", "#8c8c8c"), ("#284435", "#4ab782"), ("#005b62", "#4ed4e1"), ("#01378e", "#7ba1e0"),
    ("#4e00d8", "#827aff"), ("#690668", "#febffa"), ("#b6318d", "#ff55c9"), ("#c7004a", "#fe3a6c"),
)  # fmt: skip


def recolour(apps, schema_editor, old=OLD, new=NEW):
    """Replace pairs of colours; the address of a style sheet follows from the colours in it."""
    other = dict(zip(old, new, strict=True))
    database = schema_editor.connection.alias
    for name in ("Scheme", "DefaultDisplay"):
        model = apps.get_model("ratings", name)
        for row in model.objects.using(database).only("tiers").iterator(chunk_size=500):
            if all((tier["colour_light"], tier["colour_dark"]) not in other for tier in row.tiers):
                continue
            for tier in row.tiers:
                pair = tier["colour_light"], tier["colour_dark"]
                tier["colour_light"], tier["colour_dark"] = other.get(pair, pair)
            model.objects.using(database).filter(pk=row.pk).update(tiers=row.tiers)


def restore(apps, schema_editor):
    recolour(apps, schema_editor, old=NEW, new=OLD)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0009_default_display")]

    operations = [migrations.RunPython(recolour, restore)]
