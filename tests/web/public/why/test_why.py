"""The page that explains a rating change: its sums, its sentences, and contests without a change."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Contest
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from web.public.why.rows import adding_up

pytestmark = pytest.mark.django_db

HANDLES = ["ann", "bob", "eve", "joe", "kim", "lee", "max", "zoe"]
ORDERS = ["abejklmz", "baejkmlz", "zabejklm", "ebazjklm"]
DISPLAYS = [{"mapping": "offset"}, {"mapping": "offset", "k": 2.0}, {"mapping": "fermi", "range": 10000}]


def make_cup(system="elo-mmr", *, teams=None, **scheme):
    series = make_series("cup")
    choose_scheme(series.pk, system=system, **scheme)
    for number, order in enumerate(ORDERS):
        handles = [next(handle for handle in HANDLES if handle[0] == letter) for letter in order]
        places = [place - (place == 5) for place in range(1, 9)]  # the fourth and the fifth tie
        if teams:
            places = [1 + (place - 1) // 2 for place in range(1, 9)]
            teams = {handle: f"Team {place}" for handle, place in zip(handles, places, strict=True)}
        rows = list(zip(handles, places, strict=True))
        make_contest(series, standings=rows, teams=teams, day=20 * number, name=f"Round {number + 1}")
    rate(series)
    return series


def why_page(client, handle="zoe", number=4):
    contest = Contest.objects.get(name=f"Round {number}")
    return client.get(f"/contests/{contest.pk}/why/{handle}/")


def number_of(text):
    return float(text.replace("−", "-").replace("+", "").replace(",", ""))


@pytest.mark.one_database
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_lines_add_up_to_the_displayed_change(client, system):
    """The test looks at each change in one display, and at two or three changes of every contest in each display."""
    series = make_cup(system)
    changes = RatingChange.objects.current().select_related("contest__series", "player").order_by("number")
    assert len(changes) == len(HANDLES) * len(ORDERS)
    for start, display in enumerate(DISPLAYS):
        choose_scheme(series.pk, display=display)
        for change in changes[start :: len(DISPLAYS)]:
            page = Page(client.get(f"/contests/{change.contest_id}/why/{change.player.handle}/"))
            head, *lines, total = page.tables[0]
            for column in set(head) & {"Level", "Weight"}:
                assert any(line[head.index(column)] for line in lines), "a column without values"
            snapshot = snapshot_of(change.contest.series)
            expected = snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma)
            assert number_of(total[-1]) == expected
            assert sum(number_of(line[-1]) for line in lines) == pytest.approx(expected)
            rounded = [number_of(line[-1]) for line in lines if line[0] == "Rounding to a whole number"]
            assert max(map(abs, rounded), default=0.0) < 1.3, "two ratings and each line are rounded"


@pytest.mark.parametrize(
    ("values", "decimals", "expected"),
    [
        ([20.6, 44.6, 34.8], 0, [21, 44, 35]),
        ([12.64, -22.74], 1, [12.6, -22.7]),
        ([0.05, 0.05, 0.05, 0.05], 1, [0.1, 0.1, 0.0, 0.0]),
        ([12.5, -3.0, 0.0], 1, [12.5, -3.0, 0.0]),
        ([], 1, []),
    ],
)
def test_rounded_values_add_up(values, decimals, expected):
    assert adding_up(values, decimals) == pytest.approx(expected)


def test_rounded_values_add_up_to_a_total_that_was_rounded_with_others():
    assert adding_up([-14.84], 1, -14.9) == [-14.9]
    assert adding_up([-14.84], 1, -14.8) == [-14.8]
    assert adding_up([1.26, 2.26], 1, 3.5) == [1.3, 2.2]


def test_the_points_of_opponents_add_up_to_the_line_of_the_contest(client):
    make_cup()
    for handle in HANDLES:
        page = Page(why_page(client, handle))
        line = next(row for row in page.tables[0] if row[0].startswith("Performance in this contest"))
        said = re.findall(r"contributed ([+−]?[\d.,]+) points", page.text)
        assert said
        assert sum(map(number_of, said)) == pytest.approx(number_of(line[-1])), handle


def test_the_points_of_a_side_add_up_to_its_total_if_all_are_listed(client):
    make_cup()
    sides = {"behind": 0, "ahead": 0, "shared the place": 0}
    for handle in HANDLES:
        answer = why_page(client, handle)
        page, own = Page(answer), answer.context["place"]
        tables = [table[1:] for table in page.tables[1:] if table[0][0] == "Place"]
        rows = [(int(row[0]), number_of(row[-1])) for table in tables for row in table]
        for side in sides:
            found = re.search(rf"(\d) opponents? (?:finished )?{side} and contributed ([+−]?[\d.,]+) points", page.text)
            behind = {"behind": 1, "ahead": -1, "shared the place": 0}[side]
            of_side = [points for place, points in rows if (place > own) - (place < own) == behind]
            if found and int(found[1]) == len(of_side):
                sides[side] += 1
                assert sum(of_side) == pytest.approx(number_of(found[2])), (handle, side)
    assert all(sides.values())


@pytest.mark.parametrize("k", [0.0, 3.0])
@pytest.mark.parametrize(("system", "handle"), [("trueskill", "ann"), ("elo-mmr-infinity", "zoe")])
def test_readers_can_follow_the_sum_from_the_best_estimate(client, system, handle, k):
    """Points are weight times distance from the rating before, also if the display lies below it."""
    series = make_cup(system, display={"mapping": "offset", "offset": 1000.0, "centre": 0.0, "scale": 100.0, "k": k})
    change = RatingChange.objects.current().get(contest__name="Round 4", player__handle=handle)
    page = Page(why_page(client, handle))
    (said,) = re.findall(r"(?:distance from|average of) the previous rating,? \(?([\d,]+)", page.text)
    assert number_of(said) == snapshot_of(series).rating(change.mu_before)
    row = page.tables[0][1]
    level, weight, points = number_of(row[1]), number_of(row[2].rstrip(" %")) / 100, number_of(row[-1])
    assert weight * (level - number_of(said)) == pytest.approx(points, rel=0.02)
    assert ("the further the displayed rating lies below it" in page.text) == (k > 0.0)


@pytest.mark.parametrize("system", ["trueskill", "trueskill-spb"])
def test_only_changes_against_several_opponents_can_not_be_split(client, system):
    series = make_cup(system)
    make_contest(series, standings=[("ann", 1), ("bob", 2)], name="Round 5")
    rate(series)
    assert "neighbours in the table count most" in Page(why_page(client, "ann", 4)).text
    game = Page(why_page(client, "ann", 5)).text
    assert "neighbours" not in game
    assert "it also matters which opponents finished ahead" not in game


def test_elo_mmr_names_the_ratings_that_performances_pass_their_weight_to(client):
    make_cup()
    parts = " ".join(row[0] for row in Page(why_page(client)).tables[0])
    assert "3 earlier performances" in parts
    assert "Starting rating and earlier ratings, combined" in parts


@pytest.mark.parametrize("system", ["elo", "kreimeier", "trueskill", "elo-mmr", "glicko2"])
def test_team_members_see_the_expected_place_of_their_team(client, system):
    make_cup(system, teams=True)
    page = Page(why_page(client, "ann"))
    assert "the expected place of the team Team 2 was" in page.text
    assert "of 4. The actual place was 2." in page.text
    assert "Teams competed" in page.text
    if system != "trueskill":
        opponents = [row[1] for table in page.tables if "Team or player" in table[0] for row in table[1:]]
        assert {row.split()[1][0] for row in opponents} == {"1", "3", "4"}


def test_the_page_describes_places_performance_and_weight_in_sentences(client):
    make_cup()
    change = RatingChange.objects.current().get(contest__name="Round 4", player__handle="ann")
    snapshot = snapshot_of(Contest.objects.get(name="Round 4").series)
    page = Page(why_page(client, "ann"))
    before = snapshot.rating_of(change.mu_before, change.sigma_before)
    assert f"ann had a rating of {before:,}, so the expected place was" in page.text
    assert "of 8. The actual place was 3." in page.text
    shown = snapshot.mapping.show(change.performance)
    assert f"The performance, the rating that this result alone would suggest, is {shown:,}." in page.text
    assert re.search(r"It accounts for \d+ % of the new rating", page.text)
    assert "The previous rated contest was 20 days earlier" in page.text
    assert page.headings == [
        f"Why did ann {'gain' if change.mu > change.mu_before else 'lose'} "
        f"{abs(snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma))} points?"
    ]


def test_opponents_are_named_with_place_and_probability_on_the_right_side(client):
    make_cup()
    page = Page(why_page(client, "joe"))  # place 5, tied at 4 with zoe
    up, down = page.tables[2], page.tables[3]
    assert {"1", "2", "3"} <= {row[0] for row in down[1:]} <= {"1", "2", "3", "4"}
    assert {"6", "7", "8"} <= {row[0] for row in up[1:]} <= {"4", "6", "7", "8"}
    assert "tied with 1 other" in page.text
    assert "The actual place was 4, shared with 1 other, so it counts as 4.5." in page.text
    assert "1 opponent shared the place" in page.text


def test_a_newcomer_sees_the_starting_rating(client):
    make_cup()
    page = Page(why_page(client, "ann", 1))
    assert "ann had no rating and started at 1,500, so the expected place was 4.5 of 8" in page.text
    assert "first rated contest" in page.text


def test_weights_and_ceilings_are_mentioned(client):
    series = make_cup()
    rows = [(handle, place) for place, handle in enumerate(HANDLES, start=1)]
    make_contest(series, standings=rows, weight=2.0, perf_ceiling=1600.0, name="Round 5")
    rate(series)
    best = Page(why_page(client, "ann", 5)).text
    assert "no performance counts as more than 1,600" in best
    assert "No single opponent" in best
    assert "this contest the weight 2" in best
    assert "this player’s performance was below it" in Page(why_page(client, "zoe", 5)).text


def test_changes_that_wait_for_a_rerating_are_not_explained_wrongly(client):
    make_cup()
    Contest.objects.filter(name="Round 2").update(weight=7.0)
    page = why_page(client)
    assert page.status_code == 200
    assert "corrected and has not been rated again yet" in Page(page).text


@pytest.mark.parametrize(
    "parameters",
    [{"drift_per_day": 30.0, "noob_delay": [0.5, 0.8]}, {"noob_delay": [0.6]}, {"drift_per_day": 5.0}],
)
def test_parameters_that_use_the_records_of_opponents_are_explained_exactly(client, parameters):
    make_cup(parameters=parameters)
    context = why_page(client).context
    explained = context["explained"]
    assert explained.is_exact
    explanation = explained.explanation
    assert explanation.pulls.sum() == pytest.approx(explanation.part("contest"), abs=1e-6)
    counts = explanation.situation.entrants.count
    assert counts.tolist() == [3] * 8
    assert explanation.situation.entrants.idle.tolist() == pytest.approx([20.0] * 8)


def test_games_share_the_change_if_past_volatilities_are_unknown(client):
    make_cup("glicko2", parameters={"period_days": 2.0})
    explanation = why_page(client).context["explained"].explanation
    assert [part.kind for part in explanation.parts] == ["contest"]
    assert explanation.sigma_drifted > explanation.situation.entrants.sigma[explanation.situation.row]


def test_other_spellings_redirect_to_the_handle(client):
    make_cup()
    contest = Contest.objects.get(name="Round 1")
    answer = client.get(f"/contests/{contest.pk}/why/ZOE/")
    assert answer.status_code == 301
    assert answer["Location"] == f"/contests/{contest.pk}/why/zoe/"


def test_an_unknown_handle_gets_similar_participants(client):
    make_cup()
    answer = why_page(client, "zoey")
    assert answer.status_code == 404
    assert "“zoey” didn’t take part in Round 4" in Page(answer).text
    assert "zoe" in Page(answer).links


def test_a_player_of_another_contest_is_unknown_here(client):
    make_cup()
    make_contest(make_series("secret", is_public=False), standings=[("hidden", 1), ("x", 2)])
    make_player("onlooker")
    for handle in ("hidden", "onlooker"):
        answer = why_page(client, handle)
        assert answer.status_code == 404
        assert f"“{handle}” didn’t take part" in Page(answer).text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"is_rated": False}, "The contest is unrated"),
        ({}, "the contest has fewer than two players or teams"),
    ],
)
def test_a_contest_that_changed_nothing_says_why(client, fields, words):
    series = make_cup()
    make_contest(series, standings=[("ann", 1)], name="Round 9", **fields)
    rate(series)
    answer = why_page(client, "ann", 9)
    assert answer.status_code == 200
    assert words in Page(answer).text


def test_a_tie_of_all_is_explained_like_any_other_result(client):
    series = make_cup()
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("eve", 1)], name="Round 9")
    rate(series)
    answer = why_page(client, "ann", 9)
    assert answer.status_code == 200
    assert "tied with 2 others" in Page(answer).text


def test_a_disqualified_result_says_so(client):
    series = make_cup()
    rows = [("ann", 1), ("bob", 2), ("eve", 3, None, "disqualified"), ("joe", 4, None, "unofficial")]
    make_contest(series, standings=rows, name="Round 9")
    rate(series)
    assert "was disqualified" in Page(why_page(client, "eve", 9)).text
    assert "not ranked" in Page(why_page(client, "joe", 9)).text


def test_only_organizers_see_drafts_and_private_series(client):
    ida = make_user("ida")
    secret = make_series("secret", is_public=False, organizer=ida)
    hidden = make_contest(secret, standings=[("ann", 1), ("bob", 2)])
    draft = make_contest(make_series("open", organizer=ida), standings=[("ann", 1), ("bob", 2)], finalized=False)
    rate(secret)
    for contest in (hidden, draft):
        assert client.get(f"/contests/{contest.pk}/why/ann/").status_code == 404
    client.force_login(ida)
    assert client.get(f"/contests/{hidden.pk}/why/ann/").status_code == 200
    assert "is a draft" in Page(client.get(f"/contests/{draft.pk}/why/ann/")).text


@pytest.mark.parametrize(
    "handle", ["<b>x</b>", "\u202etxt.exe", "x" * 3000, "a/b", "%00", "%F0%9F%8E%89", "~..", "a\tb", "100%25"]
)
def test_odd_handles_get_a_helpful_page(client, handle):
    make_cup()
    answer = why_page(client, handle)
    assert answer.status_code == 404
    assert "<b>x</b>" not in answer.content.decode()


def test_unknown_contests_are_not_found(client):
    for number in ("0", "99999", "9" * 30):
        assert client.get(f"/contests/{number}/why/ann/").status_code == 404


def test_names_are_data(client):
    series = make_series("cup")
    handle = "<script>alert(1)</script>"
    contest = make_contest(series, standings=[(handle, 1), ("bob & eve", 2), ("كريم", 3)], name="<i>Round</i>")
    rate(series)
    for player in (handle, "bob & eve", "كريم"):
        answer = client.get(f"/contests/{contest.pk}/why/{player}/")
        assert answer.status_code == 200
        assert "<script>alert" not in answer.content.decode()
        assert "<i>Round" not in answer.content.decode()


@pytest.mark.parametrize("players", [2, 200])
def test_the_number_of_queries_does_not_grow_with_the_field(client, players):
    series = make_series("cup")
    for _ in range(3):
        contest = make_contest(series, players=players)
    rate(series)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/contests/{contest.pk}/why/p1/").status_code == 200
    assert len(queries) == 12 + (players == 2), "whether this is a series of games is read once for each run"


@pytest.mark.parametrize(
    ("places", "result", "words"),
    [((1, 2), "Win", "a win, which counts as 100 %"), ((2, 1), "Loss", "a loss, which counts as 0 %"),
     ((1, 1), "Draw", "a draw, which counts as 50 %")],
)  # fmt: skip
def test_games_are_explained_by_scores_instead_of_places(client, places, result, words):
    series = make_series("chess")
    choose_scheme(series.pk, system="elo")
    contest = make_contest(series, standings=[("ann", places[0]), ("bob", places[1])], name="Game")
    rate(series)
    page = Page(client.get(f"/contests/{contest.pk}/why/ann/"))
    assert "ann had no rating and started at 1,500, so the expected score against bob (1,500) was 50 %" in page.text
    assert words in page.text
    assert f"Expected score 50 % a draw counts as half a win Result {result}" in page.text
    assert "place" not in page.text.lower()


def test_systems_that_cannot_split_a_change_name_the_opponent_too(client):
    series = make_series("chess")
    choose_scheme(series.pk, system="trueskill")
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)], name="Game")
    rate(series)
    page = Page(client.get(f"/contests/{contest.pk}/why/ann/")).text
    assert re.search(r"so the expected score against bob \([\d,]+\) was 50 %", page)


def test_the_expected_score_of_a_game_is_that_of_the_formula(client):
    """After a win worth 12 points, 1,512 against 1,488: 1 / (1 + 10 ** (-24 / 400)) = 0.534."""
    series = make_series("chess")
    choose_scheme(series.pk, system="elo", parameters={"k_factor": 24.0})
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    contest = make_contest(series, standings=[("ann", 2), ("bob", 1)], day=7)
    rate(series)
    assert (
        "ann had a rating of 1,512, so the expected score against bob (1,488) was 53 %"
        in Page(client.get(f"/contests/{contest.pk}/why/ann/")).text
    )
    assert "Expected score 47 %" in Page(client.get(f"/contests/{contest.pk}/why/bob/")).text
