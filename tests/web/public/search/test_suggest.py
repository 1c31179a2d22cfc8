"""Suggestions of the search boxes while someone types."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player, PlayerAlias, PlayerMerge
from contests.services.merging import merge_players, split_players
from contests.services.renaming import PlayerDescription, add_alias, describe_player, rename_player
from ratings.queries import search, top_players
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user, rate

pytestmark = pytest.mark.django_db


def suggested(client, query, **headers):
    answer = client.get(f"/suggest/?{query}", **headers)
    assert answer.status_code == 200
    return answer.json()


def texts(client, query):
    return [item["text"] for item in suggested(client, query)["items"]]


def contests_of(series, *orders):
    for order in orders:
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(order, start=1)])
    rate(series)


def test_a_player_comes_with_all_that_the_list_shows(client):
    cup = make_series("cup", name="Harbour Cup")
    make_player("Ann", name="Ann Marsh", country="NO")
    contests_of(cup, ["Ann", "bob"])
    answer = suggested(client, "q=an&kind=players")
    assert answer["query"] == "an"
    assert answer["announcement"] == "1 suggestion"
    item = answer["items"][0]
    assert {name: item[name] for name in ("kind", "text", "name", "country", "url", "series", "alias")} == {
        "kind": "player", "text": "Ann", "name": "Ann Marsh", "country": "NO", "url": "/c/main/players/Ann/",
        "series": "Harbour Cup", "alias": "",
    }  # fmt: skip
    table = client.get("/api/v1/communities/main/series/cup/leaderboard/").json()["results"]
    assert item["rating"] == next(row["rating"] for row in table if row["player"]["handle"] == "Ann")
    assert set(item["tier"]) == {"name", "symbol", "light", "dark"}


def test_the_answer_may_be_kept_for_a_minute_by_this_browser_alone(client):
    answer = client.get("/suggest/?q=a")
    assert answer["Cache-Control"] == "private, max-age=60"
    assert {"Cookie", "Accept-Language"} <= {part.strip() for part in answer["Vary"].split(",")}


def test_an_exact_handle_comes_before_the_most_active_and_these_before_the_others(client):
    cup = make_series("cup")
    contests_of(cup, ["anna", "annika", "zoe"], ["annika", "zoe"], ["annika", "ann"])
    assert texts(client, "q=ann&kind=players") == ["ann", "annika", "anna"]
    assert texts(client, "q=AN&kind=players") == ["annika", "anna", "ann"]


def test_in_a_series_the_best_come_first(client):
    cup, other = make_series("cup"), make_series("other")
    contests_of(cup, ["ab", "aa", "ac"], ["ab", "aa", "ac"])
    contests_of(other, *[["ac", "aa"]] * 5)
    assert texts(client, "q=a&kind=players&series=cup") == ["ab", "aa", "ac"]
    assert texts(client, "q=a&kind=players")[0] in ("aa", "ac"), "seven contests each"


def test_in_a_series_an_exact_handle_that_is_not_rated_in_it_comes_last(client):
    cup, other = make_series("cup"), make_series("other")
    contests_of(cup, ["petra", "petr"])
    contests_of(other, ["pe", "petr"])
    make_unrated_player("pet")
    assert texts(client, "q=pe&kind=players&series=cup") == ["petra", "petr", "pet", "pe"]
    assert texts(client, "q=pe&kind=players")[0] == "pe"


def test_an_unknown_series_or_kind_counts_as_none(client):
    make_unrated_player("ann")
    assert texts(client, "q=an&kind=nonsense&series=nowhere") == ["ann"]


def test_former_handles_and_merged_players_lead_to_the_current_player(client):
    ann = make_unrated_player("ann")
    PlayerAlias.objects.create(player=ann, handle="Maria", handle_key="maria")
    kept, gone = make_unrated_player("kept"), make_player("marianne")
    make_contest(standings=[("marianne", 1)])
    merge_players(kept.pk, gone.pk, reason="the same person", actor=make_user())
    found = {item["text"]: item["alias"] for item in suggested(client, "q=mari&kind=players")["items"]}
    assert found == {"ann": "Maria", "kept": "marianne"}


def test_words_are_found_from_the_first_letter_on_and_parts_within_them_from_three(client):
    cup = make_series("cup")
    make_unrated_player("lewis", name="Sir Lewis Hamilton")
    contests_of(cup, ["lewis", "duncan-hamilton"])
    make_unrated_player("unrated-hamilton")
    assert texts(client, "q=hamil&kind=players") == ["lewis", "duncan-hamilton", "unrated-hamilton"]
    assert texts(client, "q=ha&kind=players") == ["lewis", "duncan-hamilton", "unrated-hamilton"]
    assert texts(client, "q=milto&kind=players") == ["lewis", "duncan-hamilton", "unrated-hamilton"]
    assert texts(client, "q=mi&kind=players") == []


@pytest.mark.parametrize(
    ("handle", "name", "typed"),
    [
        ("lewis-hamilton", "", "Lewis Hamilton"),
        ("max_verstappen", "", "max verstappen"),
        ("max_verstappen", "", "Verstappen, Max"),
        ("max_verstappen", "", "MaxVerstappen"),
        ("maxverstappen", "", "max.verstappen"),
        ("tp1", "Tadej Pogačar", "tadej pogacar"),
        ("tp1", "Tadej Pogačar", "pogač tad"),
        ("lukasz", "Łukasz Groß", "lukasz gross"),
        ("hoeg", "Peter Høeg-Đorđe", "peter hoeg dorde"),
        ("zoë.o'neil", "", "O NEIL ZOE"),
        ("достоевский_фёдор", "", "Федор Достоевский"),
        ("李明_bj", "", "李明"),
        ("محمد-علي", "", "علي مُحمّد"),
    ],
)
def test_case_accents_punctuation_and_the_order_of_words_do_not_count(client, handle, name, typed):
    cup = make_series("cup")
    make_player(handle, name=name)
    make_player("someone", name="Max Lewis Tadej Łukasz Peter")
    contests_of(cup, ["someone", "bob", handle])
    for page in ("/suggest/?kind=players&q=", "/suggest/?kind=players&series=cup&q="):
        assert [item["text"] for item in client.get(page + quote(typed)).json()["items"]] == [handle]
    for page in ("/search/?q=", "/players/?q="):
        assert [row.player.handle for row in client.get(page + quote(typed)).context["rows"]] == [handle]


def test_better_known_players_come_first_however_they_are_written(client):
    cup = make_series("cup")
    make_player("duncan-hamilton", name="Duncan Hamilton")
    make_player("lewis-hamilton", name="Lewis Hamilton")
    field = [f"p{n}" for n in range(20)]
    contests_of(cup, *[["lewis-hamilton", *field, "duncan-hamilton"]] * 4)
    make_unrated_player("hamilt")
    assert texts(client, "q=hamilto&kind=players") == ["lewis-hamilton", "duncan-hamilton"]
    assert texts(client, "q=hamil&kind=players") == ["lewis-hamilton", "duncan-hamilton", "hamilt"]


@pytest.mark.parametrize("candidates", [5, 500])
def test_whole_words_come_before_better_known_players_with_longer_words(client, monkeypatch, candidates):
    monkeypatch.setattr(search, "CANDIDATES", candidates)
    for handle, name in (("alister", ""), ("hamza", "Hamza Ali"), ("ak", "Ali Khan"), ("ali-b", "Alina Berg")):
        make_player(handle, name=name)
    field = [f"alice{n:02}" for n in range(24)]
    contests_of(make_series("cup"), *[["alister", *field, "ali-b", "ak", "zoe", "hamza"]] * 3)
    make_unrated_player("an", name="Ali Novak")
    assert texts(client, "q=ali&kind=players")[:5] == ["ali-b", "ak", "hamza", "an", "alister"]
    assert texts(client, "q=a&kind=players")[0] == "alister", "a single letter is no word"
    assert texts(client, "q=kha ali&kind=players") == ["ak"]


def test_each_whole_word_of_the_text_counts(client):
    make_player("a1", name="Alister Khalid")
    make_player("a2", name="Ali Khan")
    contests_of(make_series("cup"), *[["a1", "a2"]] * 3)
    assert texts(client, "q=ali kha&kind=players") == ["a2", "a1"]


def test_a_winner_of_one_contest_and_one_who_left_long_ago_are_less_known(client):
    cup = make_series("cup")
    field = [f"p{n}" for n in range(20)]
    for day in range(5):
        make_contest(cup, day=day, standings=[(h, i) for i, h in enumerate(["anna-old", *field], 1)])
    for day in range(2000, 2005):
        make_contest(cup, day=day, standings=[(h, i) for i, h in enumerate(["anna-now", *field], 1)])
    make_contest(cup, day=2006, standings=[(h, i) for i, h in enumerate(["anna-once", "anna-now", *field], 1)])
    rate(cup)
    assert texts(client, "q=anna&kind=players") == ["anna-now", "anna-old", "anna-once"]


def test_names_of_merged_players_and_other_names_are_found_by_their_words(client):
    make_contest(standings=[("Jiří_Novák", 1), ("bob", 2)])
    kept, gone = make_unrated_player("kept"), make_player("Jiří_Novák")
    add_alias(kept.pk, handle="Novotný Karel")
    merge_players(kept.pk, gone.pk, reason="the same person", actor=make_user())
    assert texts(client, "q=karel novotny&kind=players") == ["kept"]
    assert texts(client, "q=novak jiri&kind=players") == ["kept"]
    assert suggested(client, "q=novak jiri&kind=players")["items"][0]["alias"] == "Jiří_Novák"
    split_players(PlayerMerge.objects.get().pk, reason="two people", actor=make_user())
    assert texts(client, "q=novak jiri&kind=players") == ["Jiří_Novák"]
    rename_player(gone.pk, handle="Milan")
    describe_player(gone.pk, description=PlayerDescription(name="Józef Wójcik"))
    assert texts(client, "q=wojcik&kind=players") == ["Milan"]


def test_among_very_many_who_begin_alike_the_best_of_the_leaderboards_come_first(client, monkeypatch):
    monkeypatch.setattr(search, "CANDIDATES", 20)
    Player.objects.bulk_create(
        [Player(community_id="main", handle=f"a{n:04}", handle_key=f"a{n:04}") for n in range(500)]
    )
    contests_of(make_series("cup"), [f"a{n:04}" for n in range(400, 450)])
    assert texts(client, "q=a&kind=players") == [f"a{n:04}" for n in range(400, 408)]


def test_players_with_the_smallest_share_of_players_above_are_listed_first(client, monkeypatch):
    monkeypatch.setattr(search, "CANDIDATES", 0)
    contests_of(make_series("small"), ["a-small-first", "a-small-second"])
    contests_of(make_series("large"), [f"b{n}" for n in range(5)] + ["a-large-sixth"] + [f"c{n}" for n in range(30)])
    assert texts(client, "q=a&kind=players") == ["a-large-sixth", "a-small-first", "a-small-second"]


def test_a_renamed_top_player_is_not_shown_under_the_old_handle(client):
    contests_of(make_series("cup"), ["ann", "bob"])
    assert texts(client, "q=ann&kind=players") == ["ann"]
    Player.objects.filter(handle="ann").update(handle="zoe", handle_key="zoe")
    assert texts(client, "q=ann&kind=players") == []
    assert texts(client, "q=zoe&kind=players") == ["zoe"]


def test_series_and_contests_keep_a_place_beside_many_players(client):
    cup = make_series("harbour-cup", name="Harbour Cup")
    contests_of(cup, [f"harbour{n}" for n in range(12)])
    make_contest(cup, players=2, name="Spring in the harbour")
    items = suggested(client, "q=harbour")["items"]
    assert [item["kind"] for item in items] == ["series"] + ["player"] * 6 + ["contest"]
    assert items[0]["note"] == "12 players"
    assert items[-1]["note"].startswith("Harbour Cup · ")
    assert texts(client, "q=harbour&kind=players") == [f"harbour{n}" for n in range(8)]


def test_every_word_of_a_contest_counts(client):
    cup = make_series("cup")
    for name in ("Monaco Grand Prix 2025", "Monaco Grand Prix 2026", "Miami Grand Prix 2026"):
        make_contest(cup, players=2, name=name)
    assert texts(client, "q=2026 monaco") == ["Monaco Grand Prix 2026"]


def test_what_is_private_or_a_draft_is_suggested_to_its_organizers_alone(client):
    ida = make_user("ida")
    secret = make_series("secret-cup", name="Secret Cup", is_public=False, organizer=ida)
    contests_of(secret, ["secret-ann", "secret-bob"])
    make_contest(make_series("open"), standings=[("secret-draft", 1)], finalized=False, name="Secret draft")
    assert texts(client, "q=secret") == []
    client.force_login(ida)
    assert set(texts(client, "q=secret")) == {"Secret Cup", "secret-ann", "secret-bob"}


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%00", "q=%FF", "q=%20", "q=%25", "q=_", "q=%5C%27", "q=" + "y" * 10_000]
)
@pytest.mark.parametrize("more", ["", "&series=" + "x" * 3000, "&series=%00&kind=%00"])
def test_odd_letters_find_no_one_and_break_nothing(client, query, more):
    make_unrated_player("ann")
    answer = suggested(client, query + more)
    assert answer["items"] == []
    assert answer["announcement"] == "No suggestions"


def test_markup_is_text(client):
    make_unrated_player("<b>bold</b>")
    assert texts(client, "q=%3Cb") == ["<b>bold</b>"]


def test_words_are_in_the_language_of_the_page(client):
    make_unrated_player("ann")
    answer = client.get("/suggest/?q=ann", headers={"accept-language": "de"})
    assert answer["Content-Language"] == "de"


@pytest.mark.parametrize("query", ["q=p", "q=p1", "q=player", "q=p&kind=players&series=cup", "q=round"])
def test_the_number_of_queries_does_not_grow(client, query):
    counts = []
    for number, players in enumerate((2, 200)):
        series = make_series("cup" if not number else f"cup-{number}", name=f"Round {number}")
        make_contest(series, players=players, name=f"Round robin {number}")
        rate(series)
        client.get(f"/suggest/?{query}")
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/suggest/?{query}")
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 1, counts
    # Seven of them look for similar names of contests, series and communities, if no name has the text.
    assert max(counts) <= 26


def test_at_most_eight_series_are_looked_at_for_top_players(client, django_assert_max_num_queries):
    for number in range(12):
        contests_of(make_series(f"s{number}"), ["ann", f"p{number}"])
    with django_assert_max_num_queries(16 + 2 * top_players.LARGEST_SERIES):
        client.get("/suggest/?q=an")


def test_keys_of_other_scripts_are_found_by_their_beginnings(client):
    for handle in ("李明", "李三", "Zoë", "ZOËY"):
        make_unrated_player(handle)
    assert set(texts(client, "q=李")) == {"李明", "李三"}
    assert texts(client, "q=zoë") == ["Zoë", "ZOËY"]
