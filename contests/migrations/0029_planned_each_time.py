"""
Triggers that keep the list of known words plan their queries each time.

PL/pgSQL otherwise keeps the plan of the first call for the whole session. If the tables were nearly empty then, it
reads all of them for each row of a later import, however many rows it has.
"""

from django.db import migrations

_LEARN = """
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {begin}INSERT INTO contests_knownword (word) SELECT DISTINCT added.word FROM added
            WHERE length(added.word) > 2{condition}
            AND NOT EXISTS (SELECT 1 FROM contests_knownword known WHERE known.word = added.word){end};
        RETURN NULL;
    END $$
"""
_FORGET = """
    CREATE OR REPLACE FUNCTION contests_forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {begin}DELETE FROM contests_knownword known USING removed WHERE known.word = removed.word
            AND NOT EXISTS (SELECT 1 FROM contests_playerword kept WHERE kept.word = removed.word)
            AND NOT EXISTS (SELECT 1 FROM contests_titleword kept WHERE kept.word = removed.word){end};
        RETURN NULL;
    END $$
"""


def _functions(begin: str, end: str) -> list[str]:
    marks = {"begin": begin, "end": end}
    return [
        _LEARN.format(name="contests_learn_words", condition="", **marks),
        _LEARN.format(name="contests_learn_title_words", condition=" AND added.word ~ '[^0-9]'", **marks),
        _FORGET.format(**marks),
    ]


def plan_each_time(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for statement in _functions("EXECUTE $query$", "$query$"):
            schema_editor.execute(statement)


def plan_once(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for statement in _functions("", ""):
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("contests", "0028_player_pictures")]

    operations = [migrations.RunPython(plan_each_time, plan_once)]
