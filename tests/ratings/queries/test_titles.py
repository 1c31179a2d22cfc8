"""The search for contests, series and communities by name, also for misspelt names."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.matching import known_words, titles
from contests.models import Community, KnownWord, TitleWord
from ratings.queries.titles import find_on_site
from tests.factories import make_community, make_contest, make_player, make_series, make_unrated_player, make_user

pytestmark = pytest.mark.django_db


def found(text, user=None):
    """Return the names of all titles found, series first."""
    result = find_on_site(text, user or AnonymousUser(), 8).titles
    return [one.name for kind in (result.series, result.communities, result.contests) for one in kind]


def with_players(text):
    """Return the handles of players, the names of titles, and whether the titles are only similar."""
    players, titles = find_on_site(text, AnonymousUser(), 8)
    named = [one.name for kind in (titles.series, titles.communities, titles.contests) for one in kind]
    return [player.handle for player in players.players], named, titles.are_similar


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
        "formla 1": ["Formula 1"], "Fromula 1": ["Formula 1"], "formla1": ["Formula 1"],
        "harbuor": ["Harbour Cup Club"], "sao paolo": ["Großer Preis von São Paulo"],
        "grosser pries": ["Großer Preis von São Paulo"], "monacco": ["Monaco 2024", "Monaco 2023"],
        "monacco 2023": ["Monaco 2023"], "zebra": [], "x": [], "%": [], "2032": [],
    }  # fmt: skip
    assert {text: found(text) for text in expected} == expected


def test_similar_names_do_not_mix_with_exact_ones_or_with_players(races):
    make_contest(races, name="Monzza test", standings=[("ann", 1)])
    assert found("monzza") == ["Monzza test"], "a name as typed"
    assert found("monaca") == ["Monaco 2024", "Monaco 2023"]
    make_unrated_player("monaca")
    assert found("monaca") == []


def test_a_contest_is_found_by_its_series_together_with_its_own_words():
    olympiad, other = make_series("imo", name="Mathematical Olympiad"), make_series("cup-2004", name="Cup")
    for number in range(2):
        make_contest(olympiad, name=f"Final {2004 + number}", standings=[("ann", 1)])
        make_contest(other, name=f"Final {number}", standings=[("ann", 1)])
    secret = make_series("imo-trial", name="Trial", is_public=False)
    make_contest(secret, name="Trial 2004", standings=[("ann", 1)])
    expected = {
        "imo 2004": ["Final 2004"], "2004 MATHEMATICAL imo": ["Final 2004"], "final imo": ["Final 2005", "Final 2004"],
        "final 2004": ["Final 1", "Final 0", "Final 2004"], "cup 2004": ["Cup"],
        "imo": ["Mathematical Olympiad"], "trial 2004": [],
    }  # fmt: skip
    assert {text: found(text) for text in expected} == expected


def test_words_match_at_their_beginnings_and_small_numbers_in_words_too():
    formula = make_series("formula1", name="Formula 1")
    for name in ("Gran Premio Vodafone", "Formula 1 Monaco", "Stage Ten", "Stage 10"):
        make_contest(formula, name=name, standings=[("formulative", 1)])
    assert with_players("formula one") == ([], ["Formula 1", "Formula 1 Monaco"], False)
    assert found("stage ten") == found("stage 10") == ["Stage 10", "Stage Ten"]
    assert with_players("premio one") == ([], ["Gran Premio Vodafone"], False), "the other word is in the series"
    assert with_players("premio two") == ([], ["Gran Premio Vodafone"], True)
    assert with_players("stage one") == ([], ["Stage 10", "Stage Ten"], False), "the other word is in the series"


def test_words_are_also_looked_for_inside_words_if_none_begins_with_them():
    series = make_series("schach", name="Schach")
    for name in ("Schachturnier", "第5届中国大学生程序设计竞赛", "ABC123"):
        make_contest(series, name=name, standings=[("ann", 1)])
    assert with_players("turnier") == ([], ["Schachturnier"], False)
    assert found("中国") == found("大学生") == ["第5届中国大学生程序设计竞赛"]
    assert found("123") == ["ABC123"]
    assert found("ur") == []
    make_contest(series, name="Turnier", standings=[("ann", 1)])
    assert found("turnier") == ["Turnier"]


def test_names_with_the_rarest_words_are_offered_if_none_has_all_of_them():
    formula, cup = make_series("formula1", name="Formula 1"), make_series("cup", name="Harbour Cup")
    for year in (2023, 2024):
        for name in ("Hungarian Grand Prix", "Italian Grand Prix"):
            make_contest(formula, name=f"{name} {year}", standings=[("hungrygp", 1)])
    make_contest(cup, name="The final", standings=[("ann", 1)])
    hungarian = ["Hungarian Grand Prix 2024", "Hungarian Grand Prix 2023"]
    expected = {
        "hungarian gp": hungarian, "hungarain gp": hungarian, "grand prix hungarian race": hungarian,
        "hungarian gp 2023": hungarian[1:], "gp 2023": [], "formula two": ["Formula 1"], "the old lighthouse": [],
        "harbour hungarian": hungarian,
    }  # fmt: skip
    assert {text: with_players(text) for text in expected} == {
        text: ([], names, True) for text, names in expected.items()
    }


def test_players_whose_names_resemble_each_word_come_before_titles_with_some_of_them():
    cup = make_series("cup", name="Max Cup")
    make_player("max-verstappen", name="Max Verstappen")
    make_player("formulaon")
    make_contest(cup, name="Formula race", standings=[("max-verstappen", 1), ("formulaon", 2)])
    assert with_players("verstapen max")[:2] == (["max-verstappen"], [])
    assert with_players("formula on") == (["formulaon"], [], False)
    assert with_players("formula onn") == ([], ["Formula race"], True), "a player resembles only the joined words"


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
