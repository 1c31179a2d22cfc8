"""The search for misspelt words of names, and the list of words that triggers keep."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from contests.matching import known_words
from contests.matching.known_words import edits, prepare, similar_words
from contests.matching.name_index import index_all_players
from contests.models import KnownWord, Player, PlayerAlias, PlayerWord
from contests.services.merging import merge_players
from contests.services.renaming import rename_player
from podium.checks import check_search
from ratings.queries.search import find_players
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user

pytestmark = pytest.mark.django_db


def found(text, user=None, **where):
    return [player.handle for player in find_players(text, 8, user or AnonymousUser(), **where).players]


def listed():
    """Return the known words apart from the name of the community."""
    return sorted(KnownWord.objects.exclude(word="main").values_list("word", flat=True))


@pytest.mark.parametrize(
    ("asked", "known", "count"),
    [
        ("hamiltn", "hamilton", 1), ("hamitlon", "hamilton", 1), ("hamilton", "hamilton", 0), ("hamilt", "hamilton", 0),
        ("berstap", "verstappen", 1), ("shumaher", "schumacher", 2), ("raikonen", "raikkonen", 1), ("abc", "", 3),
    ],
)  # fmt: skip
def test_edits_are_counted_up_to_the_end_of_the_word_or_of_what_was_typed(asked, known, count):
    assert edits(asked, known) == count


def test_each_word_is_listed_once_while_someone_has_it():
    ann = make_player("ann-smith")
    make_player("bob-smith", name="Bo Smith")
    assert listed() == ["ann", "annsmith", "bob", "bobsmith", "smith"], "words of two letters are left out"
    rename_player(ann.pk, handle="ann")
    assert "smith" in listed()
    assert "annsmith" in listed(), "as a former handle"
    PlayerAlias.objects.all().delete()
    Player.objects.filter(handle="bob-smith").update(handle="zoe", handle_key="zoe", name="")
    assert listed() == ["ann", "zoe"]
    index_all_players()
    assert listed() == ["ann", "zoe"] == sorted(set(PlayerWord.objects.values_list("word", flat=True)))


@pytest.mark.one_database
def test_an_import_after_a_small_one_does_not_read_all_words_for_each_of_its_own():
    """A session of PostgreSQL must not keep the plan of a nearly empty table."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE contests_knownword, contests_playerword")
    make_player("first")
    index_all_players()
    Player.objects.bulk_create(
        Player(community_id="main", handle=f"player{i}", handle_key=f"player{i}") for i in range(1_000)
    )
    before = rows_read("contests_knownword")
    index_all_players()
    assert KnownWord.objects.count() > 1_000
    assert rows_read("contests_knownword") - before < 50_000


def rows_read(table: str) -> int:
    """Return how many rows this transaction has read from a table and its indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_get_xact_tuples_returned(%s::regclass)", [table])
        return cursor.fetchone()[0]


def test_misspelt_names_are_found_however_they_are_spelt():
    make_unrated_player("lewis-hamilton", name="Lewis Hamilton")
    make_unrated_player("mschumacher", name="Michael Schumacher")
    make_unrated_player("Łukasz", name="Łukasz Żółty")
    for typed in ("hamiltn", "hamitlon", "HAMILTÔNN", "luis hamilton", "lewis hamiltno", "lewishamiltn"):
        assert found(typed) == ["lewis-hamilton"], typed
    assert found("shumaher") == found("micheal shumacher") == ["mschumacher"]
    assert found("lewsi") == found("leiws hamilton") == ["lewis-hamilton"], "swapped letters of a short word"
    assert found("lukasc") == found("zolty lukasc") == ["Łukasz"]
    for typed in ("hemlock", "ann", "x", "luis schumacher", "anything else"):
        assert found(typed) == [], typed
    for typed in ("'); DROP TABLE x", '"hamlet" OR *', "%hemiltan", "NEAR(", "\x00hamiltn"):
        found(typed)


def test_the_closest_come_first_and_misspelt_names_do_not_push_out_what_was_typed():
    for handle in ("marten", "martens", "martin", "mertens"):
        make_unrated_player(handle)
    assert set(found("martenz")[:2]) == {"marten", "martens"}
    assert found("martin")[0] == "martin"
    assert found("marte") == ["marten", "martens"], "enough players have names that begin so"


def test_hidden_players_are_not_found_and_change_nothing_for_others():
    ida = make_user("ida")
    make_unrated_player("hamilton")
    before = found("hamiltn")
    secret = make_series("secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[(f"hamiltn{n}", n + 1) for n in range(30)])
    make_contest(make_series("draft"), standings=[("hamilten", 1)], finalized=False)
    make_contest(make_series("away", community="away", is_public=True), standings=[("hamiltun", 1)])
    assert before == ["hamilton"]
    assert found("hamiltnn") == ["hamilton", "hamiltun"]
    assert found("hamiltnn", community="main") == ["hamilton"]
    assert "hamiltn0" in found("hamiltnn", ida)


def test_the_old_name_of_a_merged_player_leads_to_the_kept_one():
    cup = make_series("cup")
    make_contest(cup, standings=[("zoe", 1)])
    make_contest(cup, standings=[("annabel", 1)])
    kept, merged = make_player("zoe"), make_player("annabel")
    merge_players(kept.pk, merged.pk, reason="the same person")
    result = find_players("anabell", 8, AnonymousUser())
    assert [player.handle for player in result.players] == ["zoe"]
    assert result.former == {kept.pk: "annabel"}
    assert result.has_only_similar


def test_the_index_is_made_again_after_it_was_lost_and_has_all_words():
    make_player("lewis-hamilton")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("DROP INDEX contests_knownword_trigrams")
        else:
            cursor.execute("DROP TRIGGER contests_wordtrigrams_added")
    known_words._indexed.clear()
    assert not known_words.is_available()
    make_unrated_player("max-verstappen")
    assert found("verstapen") == []
    assert [message.id for message in check_search(None)] == ["podium.I001"]
    prepare()
    prepare()
    assert check_search(None) == []
    assert known_words.is_available()
    assert similar_words("verstapen") == {"verstappen": 1}
    assert found("verstapen") == ["max-verstappen"]


def test_the_triggers_are_on_the_tables():
    """Django recreates tables on SQLite, and drops their triggers: a migration that does so must create them again."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        names = {name for (name,) in cursor.fetchall()}
    for table in ("playerword", "titleword"):
        assert {f"contests_{table}_learned", f"contests_{table}_forgotten"} <= names
