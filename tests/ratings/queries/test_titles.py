"""The search for misspelt names of contests, series and communities."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.matching import known_words, titles
from contests.matching.known_words import Spellings
from contests.models import Community, KnownWord, TitleWord
from ratings.queries.titles import find_titles
from tests.factories import make_community, make_contest, make_series, make_user

pytestmark = pytest.mark.django_db


def found(text, user=None, *, has_players=False):
    """Return the names of everything found, series first."""
    result = find_titles(text, user or AnonymousUser(), 8, Spellings(), has_players=has_players)
    return [one.name for kind in (result.series, result.communities, result.contests) for one in kind]


@pytest.fixture
def races():
    make_community("harbour", name="Harbour Cup Club")
    series = make_series("f1", name="Formula 1")
    for name in ("Italian GP at Monza", "Großer Preis von São Paulo", "Monaco 2023", "Monaco 2024"):
        make_contest(series, name=name, standings=[("ann", 1), ("bob", 2)])
    return series


def test_misspelt_names_are_found_however_they_are_spelt(races):
    expected = {
        "monzza": ["Italian GP at Monza"], "itlian monza": ["Italian GP at Monza"],
        "monza italain": ["Italian GP at Monza"],
        "formla 1": ["Formula 1"], "Fromula 1": ["Formula 1"], "formla1": ["Formula 1"], "formla 2": [],
        "harbuor": ["Harbour Cup Club"], "sao paolo": ["Großer Preis von São Paulo"],
        "grosser pries": ["Großer Preis von São Paulo"], "monacco": ["Monaco 2024", "Monaco 2023"],
        "monacco 2023": ["Monaco 2023"], "monaco 2022": [], "zebra": [], "x": [], "%": [], "2032": [],
    }  # fmt: skip
    assert {text: found(text) for text in expected} == expected


def test_similar_names_do_not_mix_with_exact_ones_or_with_players(races):
    make_contest(races, name="Monzza test", standings=[("ann", 1)])
    assert found("monzza") == ["Monzza test"], "a name as typed"
    assert found("monaca") == ["Monaco 2024", "Monaco 2023"]
    assert found("monaca", has_players=True) == []


def test_the_fewest_edits_come_first():
    series = make_series("cup")
    for name in ("Marten", "Merten", "Martena", "Marlen"):
        make_contest(series, name=name, standings=[("ann", 1)])
    assert found("martenn") == ["Martena", "Marten"], "one edit, the newest first; not Merten with two"


def test_what_is_hidden_is_not_found_and_changes_nothing_for_others(races):
    found("monzzy")  # which caches what is the same for everyone, such as the number of listed communities
    with CaptureQueriesContext(connection) as before:
        assert found("monzzy") == ["Italian GP at Monza"]
    ida, bob = make_user("ida"), make_user("bob")
    make_community("vault", visibility="private", name="Monzzi Vault", owner=ida)
    make_community("corner", visibility="unlisted", name="Monzzo Corner")
    secret = make_series("secret", name="Monzza secret", is_public=False, organizer=ida)
    corner = make_series("corner", name="Monzza corner", community="corner")
    for series in (secret, corner):
        for number in range(10):
            make_contest(series, name=f"Monzzu {number}", standings=[("ann", 1)])
    make_contest(races, name="Monzze draft", standings=[("ann", 1)], finalized=False)
    event = make_contest(races, name="Night", is_event=True, is_rated=False)
    make_contest(races, name="Monzzo game", event=event, standings=[("ann", 1)])
    found("monzzy")
    with CaptureQueriesContext(connection) as after:
        assert found("monzzy") == ["Italian GP at Monza"]
    assert len(after) == len(before)
    assert found("monzzy", bob) == ["Italian GP at Monza"]
    assert found("secert", ida) == ["Monzza secret"]
    assert found("valut", ida) == ["Monzzi Vault"]
    assert found("valut") == found("valut", bob) == []


def test_the_words_follow_the_names():
    series = make_series("cup", name="Harbour Cup")
    contest = make_contest(series, name="Spring Regatta 2024", standings=[("ann", 1)])
    words = set(KnownWord.objects.values_list("word", flat=True))
    assert {"harbour", "cup", "harbourcup", "spring", "regatta"} <= words
    assert "2024" not in words, "the search for misspelt words leaves out numbers"
    contest.name = "Autumn Regatta 2024"
    contest.save(update_fields=["name"])
    assert found("sprnig") == []
    assert found("autunm") == ["Autumn Regatta 2024"]
    assert not KnownWord.objects.filter(word="spring").exists()
    make_contest(series, name="Regatta", standings=[("ann", 1)]).delete()
    assert KnownWord.objects.filter(word="regatta").exists(), "another contest has it"
    before = set(TitleWord.objects.values_list("word", "contest", "series", "community"))
    TitleWord.objects.all().delete()
    titles.index_if_empty()
    titles.index_if_empty()
    assert set(TitleWord.objects.values_list("word", "contest", "series", "community")) == before


def test_a_player_and_a_contest_may_have_the_same_word():
    contest = make_contest(make_series("cup"), name="Regatta", standings=[("regatta", 1)])
    TitleWord.objects.filter(contest=contest).delete()
    assert KnownWord.objects.filter(word="regatta").exists(), "a player has it"


def test_without_an_index_of_trigrams_only_exact_names_are_found(races, monkeypatch):
    monkeypatch.setattr(known_words, "is_available", lambda: False)
    assert found("monzza") == []
    assert found("monza") == ["Italian GP at Monza"]


def test_the_only_listed_community_is_no_result():
    make_series("cup", name="Cup")
    assert Community.objects.get().name == "Main"
    assert found("main") == found("maim") == []
    make_community("club", name="Club")
    assert found("main") == found("maim") == ["Main"]
