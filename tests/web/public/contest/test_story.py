"""The story of a contest and its favourites, for fields of all kinds."""

import re

import numpy as np
import pytest

from contests.models import Contest, Player
from ratings.derived import derived, fields
from ratings.derived.records import DERIVATION as RECORDS
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from web.public.contest import story
from web.public.contest.summary import extreme

pytestmark = pytest.mark.django_db

PLAYERS = [f"p{number}" for number in range(12)]


def story_of(client, contest):
    """Return the sentences as a visitor reads them."""
    content = client.get(f"/contests/{contest.pk}/").content.decode()
    found = re.search(r'id="story">.*?</h2>\s*<p>(.*?)</p>', content, re.DOTALL)
    words = re.sub(r"<[^>]+>", "", re.sub(r'<span class="visually-hidden">[^<]*</span>', "", found[1] if found else ""))
    return " ".join(words.split())


def in_order(handles):
    return [(handle, place) for place, handle in enumerate(handles, start=1)]


def test_a_series_of_contests_has_stories(client):
    series = make_series()
    first = make_contest(series, standings=in_order(PLAYERS), name="First")
    second = make_contest(series, standings=in_order(PLAYERS), name="Second")
    others = [make_contest(series, standings=in_order(PLAYERS[::-1]), name=f"Number {n}") for n in range(3, 6)]
    back = make_contest(series, standings=in_order(PLAYERS), name="Back")
    debut = make_contest(series, standings=in_order(["<b>new", *PLAYERS]), name="Debut")
    rate(series)
    assert story_of(client, first) == "p0 won.", "nobody had a rating, so nothing else is surprising"
    assert story_of(client, second).startswith("p0 has now won 2 contests in a row.")
    assert story_of(client, others[0]).startswith("p11 won for the first time, after 2 contests without a win.")
    assert "Before the contest, the winner was only number 12 of 12 by rating." in story_of(client, others[0])
    assert story_of(client, others[2]).startswith("p11 has now won 3 contests in a row.")
    assert story_of(client, back).startswith("p0 won and now has 3 wins in this series.")
    assert story_of(client, debut).startswith("&lt;b&gt;new won in their first contest.")
    derive_series(series.pk)
    assert "This was the largest field of the series so far." in story_of(client, debut)
    assert len(re.findall(r"[.] |[.]$", story_of(client, debut))) == 3
    rows = Page(client.get(f"/contests/{second.pk}/")).text.split("Favourites, and where they finished")[1]
    assert rows.split("In order")[0].split()[:1] == ["1"]
    assert re.findall(r"\b(p\d+)\b", rows.split("In order")[0]) == PLAYERS[:5]
    assert "place 1" in rows


@pytest.mark.parametrize(
    ("seed", "players", "said"),
    [
        (3, 12, "the winner was number 3 of 12 by rating."),
        (4, 12, "the winner was only number 4 of 12 by rating."),
        (4, 40, "the winner was number 4 of 40 by rating."),
        (5, 40, "the winner was only number 5 of 40 by rating."),
    ],
)
def test_only_winners_from_below_the_top_by_rating_were_only_number_so_and_so(client, seed, players, said):
    series, handles = make_series(), [f"p{number}" for number in range(players)]
    make_contest(series, standings=in_order(handles))
    winner = handles.pop(seed - 1)
    contest = make_contest(series, standings=in_order([winner, *handles]))
    rate(series)
    assert said in story_of(client, contest)


@pytest.mark.parametrize(
    ("standings", "said"),
    [
        ([("ann", 1), ("bob", 1)], "ann and bob drew."),
        ([("ann", 1), ("bob", 2)], "ann beat bob."),
        ([("ann", 1), ("bob", 1), ("cid", 1)], "All 3 participants shared first place."),
        ([("ann", 1), ("bob", 1), ("cid", 3)], "ann and bob shared first place."),
        ([("ann", 1), ("bob", 1), ("cid", 1), ("dan", 4)], "ann, bob and 1 other shared first place."),
        ([*((f"w{n}", 1) for n in range(5)), ("dan", 6)], "w0, w1 and 3 others shared first place."),
    ],
)
def test_stories_of_ties_and_games_have_opening_words_of_their_own(client, standings, said):
    contest = make_contest(standings=standings)
    rate(contest.series)
    assert story_of(client, contest).startswith(said)


def test_ratings_of_teams_are_told_of_their_players(client):
    """Each member of a team has a rating of their own, so the story names the member who gained the most."""
    series = make_series()
    teams = {f"{side}{n}": name for side, name in (("a", "Reds"), ("b", "Blues"), ("c", "Greens")) for n in range(2)}
    alone = [f"{side}{n}" for n in range(2) for side in "abc"]
    for order in (alone, alone, alone, alone[::-1]):
        make_contest(series, standings=in_order(order))
    places = {"a": 3, "b": 1, "c": 2}
    contest = make_contest(series, standings=[(handle, places[handle[0]]) for handle in teams], teams=teams)
    rate(series)
    changes = RatingChange.objects.current().filter(contest=contest)
    shown = {change.player.handle: change.mu - change.mu_before for change in changes.select_related("player")}
    best = max(shown, key=shown.__getitem__)
    story = story_of(client, contest)
    assert story.startswith("Blues won")
    assert re.search(rf"\b{best} gained the most: ", story), story


def test_a_draw_ends_a_streak(client):
    series = make_series()
    for ranks in ((1, 2), (1, 1), (1, 2), (1, 2)):
        make_contest(series, standings=[("ann", ranks[0]), ("bob", ranks[1])])
    last = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    assert story_of(client, last).startswith("ann beat bob and has now won 3 games in a row.")


def test_a_team_wins_as_a_team_and_a_contest_of_one_has_no_story(client):
    teams = {"ann": "Reds", "bob": "Reds", "cid": "Blues", "dan": "Blues"}
    contest = make_contest(standings=[("ann", 1), ("bob", 1), ("cid", 3), ("dan", 3)], teams=teams, has_teams=True)
    rate(contest.series)
    assert story_of(client, contest).startswith("Reds beat Blues.")
    alone = make_contest(make_series("alone"), standings=[("ann", 1)])
    rate(alone.series)
    assert client.get(f"/contests/{alone.pk}/").status_code == 200
    assert story_of(client, alone) == ""


def test_later_pages_and_filters_begin_with_the_standings(client):
    contest = make_contest(players=60)
    rate(contest.series)
    assert b'class="contest-podium"' in client.get(f"/contests/{contest.pk}/").content
    for query in ("?page=2", "?find=p5&country=", "?tier=unknown"):
        assert client.get(f"/contests/{contest.pk}/{query}").status_code in (200, 404)
    assert b'class="contest-podium"' not in client.get(f"/contests/{contest.pk}/?page=2").content


def test_bars_show_points_and_not_times(client):
    points = make_contest(standings=[("ann", 1, 25), ("bob", 2, 10), ("cid", 3, 0)])
    times = make_contest(make_series("runs"), standings=[("ann", 1, 61.5), ("bob", 2, 70)])
    content = client.get(f"/contests/{points.pk}/").content.decode()
    assert re.findall(r'<rect\s+width="([\d.]+)%" height="6"', content) == ["100.00", "40.00", "0.00"]
    assert "score-bar" not in client.get(f"/contests/{times.pk}/").content.decode()


def test_a_field_is_compared_with_those_before_it():
    contests = np.array([7, 8, 9])
    assert extreme(np.array([5, 9, 4]), contests, 6).since == 8
    assert extreme(np.array([5, 9, 4]), contests, 6).ahead_of == 1
    assert extreme(np.array([5, 9, 4]), contests, 10).since is None
    assert extreme(np.array([5, 9, 4]), contests, 10).ahead_of == 3
    assert extreme(np.array([5, 9, 4]), contests, 4) is None
    assert extreme(np.array([]), np.array([]), 4) is None


def test_strengths_are_those_of_a_plain_computation():
    series = make_series()
    for handles in (PLAYERS, PLAYERS[::-1], [*PLAYERS[3:], "new", "newer"], PLAYERS[:4]):
        make_contest(series, standings=in_order(handles))
    rate(series)
    snapshot = snapshot_of(series)
    found = fields.compute(snapshot)
    expected = []
    for contest in Contest.objects.in_order():
        changes = list(RatingChange.objects.current().filter(contest=contest))
        known = [change for change in changes if change.number > 1]
        best = sorted((snapshot.rating_of(row.mu_before, row.sigma_before) for row in known), reverse=True)[:10]
        if len(changes) >= 10:
            expected.append([contest.pk, len(changes), round(sum(best) / 10) if len(best) == 10 else 0])
    assert np.column_stack([found["contests"], found["sizes"], found["strengths"]]).tolist() == expected
    assert fields.compute(snapshot_of(make_series("empty")))["contests"].tolist() == []


def test_the_story_does_not_contradict_the_gains_of_new_players(client):
    cup = make_series("cup")
    for day in range(8):
        make_contest(cup, players=5, day=day)
    # In their ninth contests, players gain little, and the new player starts at 1500 and wins.
    contest = make_contest(cup, standings=in_order(["new", "p4", "p0", "p1", "p2", "p3"]), day=9)
    # In the second contest, the rating of the new player is provisional and falls far.
    back = make_contest(cup, standings=in_order(["p4", "p0", "p1", "p2", "p3", "new"]), day=10)
    # Both a new player and one with a provisional rating: one sentence says of both whose ratings count.
    both = make_contest(cup, standings=in_order(["newer", "p0", "p1", "p2", "p4", "p3", "new"]), day=11)
    rate(cup)
    assert "Not counting provisional ratings, p4 gained the most" in story_of(client, contest)
    assert "p4 gained the most: +" in story_of(client, back)
    german = Page(client.get(contest.get_absolute_url(), headers={"accept-language": "de"})).text
    assert "Vorläufige Wertungen nicht mitgezählt, gelang p4 die größte Steigerung" in german
    assert re.search(
        r"Not counting provisional ratings, p\d gained the most: \S+, rising to \S+ \(\w+\); p\d lost the most",
        Page(client.get(both.get_absolute_url())).text,
    )
    assert story_of(client, both).count("provisional") == 1


def test_front_page_story_and_analysis_agree_on_the_largest_gain(client):
    """Players gained more whose ratings were provisional: one in the first, one in the second contest."""
    cup = make_series("cup")
    for day in range(8):
        make_contest(cup, players=9, day=day)
    make_contest(cup, standings=in_order([*(f"p{n}" for n in range(9)), "second"]), day=8)
    handles = ["second", "first", "p8", *(f"p{n}" for n in range(8))]
    contest = make_contest(cup, standings=in_order(handles), day=9, name="Final")
    rate(cup)
    derive_series(cup.pk)
    snapshot, gains = snapshot_of(cup), {}
    for row in RatingChange.objects.current().filter(contest=contest).select_related("player"):
        gains[row.player.handle] = snapshot.change(row.mu_before, row.sigma_before, row.mu, row.sigma)
    assert sorted(gains, key=gains.get)[-3:] == ["p8", "first", "second"]
    front = Page(client.get("/")).text
    assert f"Biggest gain ▲+{gains['p8']} p8" in front
    assert "The biggest gains don’t include players with a provisional rating, because new ratings" in front
    # It is also the largest rise of all that count.
    story = story_of(client, contest)
    assert "Not counting provisional ratings, p8 made the largest gain in the history of this series: " in story
    assert f": +{gains['p8']}, to" in story
    page = Page(client.get(f"/contests/{contest.pk}/analysis/"))
    listed = [table for table in page.tables if table[0][:2] == ["Place", "Player"] and "Change" in table[0]]
    assert listed[0][1][1] == "p8"
    assert {row[1] for table in listed[:2] for row in table[1:]} == {f"p{n}" for n in range(9)}
    assert "Players with a provisional rating are left out" in page.text
    assert f"▲+{gains['p8']} p8" in Page(client.get("/c/main/series/cup/")).text


def test_where_all_ratings_are_provisional_they_count(client):
    """In the second of nine contests, everyone has played one contest before."""
    cup = make_series("cup")
    contests = [make_contest(cup, standings=in_order(PLAYERS[:: 1 - 2 * (day % 2)]), day=day) for day in range(9)]
    rate(cup)
    assert " by rating. p11 gained the most: +" in story_of(client, contests[1])
    page = Page(client.get(f"/contests/{contests[1].pk}/analysis/"))
    assert "Biggest gains and losses" in page.text
    assert "are left out" not in page.text.split("Biggest gains and losses")[1]


def test_places_are_ordinal_numbers(client):
    series = make_series()
    for _ in range(2):
        make_contest(series, standings=in_order(PLAYERS))
    debut = make_contest(series, standings=in_order([PLAYERS[0], "new", *PLAYERS[1:]]))
    upset = make_contest(series, standings=in_order([*PLAYERS[3:], *PLAYERS[1:3], PLAYERS[0]]))
    rate(series)
    assert "new finished 2nd in their first contest." in story_of(client, debut)
    assert "The favourite by rating, p0, finished 12th." in story_of(client, upset)
    german = Page(client.get(upset.get_absolute_url(), headers={"accept-language": "de"})).text
    assert "nach den Wertungen Favorit, kam auf den 12. Platz." in german


@pytest.mark.parametrize(
    ("contests_between", "day", "is_told"),
    [
        (6, 20, False),  # in the same month: the first contest is on 6 January
        (6, 40, False),
        (6, 190, True),
        (11, 20, False),
        (11, 40, True),
    ],
)
def test_the_last_field_that_was_as_large_is_named_if_it_is_long_ago(client, contests_between, day, is_told):
    series, more = make_series(), ["one", "two", "three", "four"]
    make_contest(series, standings=in_order([*PLAYERS, *more]), name="Open", day=0)
    for number in range(contests_between):
        make_contest(series, standings=in_order(PLAYERS), day=1 + number)
    # Without the two best players, it is no strong field.
    contest = make_contest(series, standings=in_order([*PLAYERS[2:], *more]), day=day)
    make_contest(series, standings=in_order(PLAYERS), day=day + 1)
    rate(series)
    derive_series(series.pk)
    assert ("This was the largest field since Open in January 2024." in story_of(client, contest)) == is_told


@pytest.mark.parametrize("has_newcomer", [False, True])
def test_a_new_number_one_is_named_unless_a_newcomer_beside_them_is_rated_higher(client, monkeypatch, has_newcomer):
    """The first ratings of a player don't count as records, but the page shows them."""
    monkeypatch.setattr(story, "MOST_FACTS", 9)
    cup = make_series("cup")
    for day, first in enumerate(["bob", "ann", "bob", "ann", "ann"]):
        second = "ann" if first == "bob" else "bob"
        make_contest(cup, standings=in_order([first, second, "cid", "dan", *"xyz"]), day=day)
    handles = ["bob", "cid", "dan", "ann"]
    newcomers = ["new"] * has_newcomer
    contest = make_contest(cup, standings=in_order([*newcomers, *handles]), day=9)
    for day in (10, 11):
        make_contest(cup, standings=in_order([*handles, *newcomers]), day=day)
    rate(cup)
    derive_series(cup.pk)
    records, bob = derived(snapshot_of(cup), RECORDS), Player.objects.get(handle="bob")
    assert ([row[:2] for row in records["reigns"][:1]], records["leads_all"]) == ([[bob.pk, contest.pk]], True)
    assert ("bob became number one" in story_of(client, contest)) == (not has_newcomer)
    first = cup.contests.get(pk=records["reigns"][-1][1])
    assert "became number one" not in story_of(client, first), "no one led before"
