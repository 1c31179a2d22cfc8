"""The page of a player."""

import csv
import itertools
import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse

from contests.models import Community, Contest, Player, PlayerAlias
from contests.services.contests import delete_contest
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db


def chart_of(response):
    found = re.search(r'<script id="chart" type="application/json">(.*?)</script>', response.content.decode())
    return json.loads(found[1])


@pytest.fixture
def cup():
    series = make_series("cup", name="Harbour Cup")
    make_contest(series, name="Spring", standings=[("ann", 1), ("bob", 2), ("cid", 3)], day=1)
    make_contest(series, name="Summer", standings=[("bob", 1), ("ann", 2)], day=2)
    make_contest(series, name="Autumn", standings=[("ann", 1), ("cid", 2)], day=3)
    rate(series)
    return series


def test_figures_table_and_graph_agree(client, cup):
    response = client.get("/c/main/players/ann/")
    page, points = Page(response), chart_of(response)["points"]
    rows = page.tables[0][1:]
    assert [re.sub(" First contest| \\d+ \\w+ 2024$", "", row[0]).split(" ")[0] for row in rows] == [
        "Autumn", "Summer", "Spring",
    ]  # fmt: skip
    assert [point["contest"] for point in points] == ["Spring", "Summer", "Autumn"]
    assert [row[2] for row in rows] == ["won", "lost", "1 /of 3"]
    assert [(point["place"], point["of"]) for point in points] == [(1, 3), (2, 2), (1, 2)]
    for row, point in zip(rows, reversed(points), strict=True):
        assert f"{point['rating']:,}" in row[4]
        assert f"{abs(point['change'])}" in row[5]
    assert points[0]["rating"] - points[0]["change"] == 1500  # where newcomers start
    for earlier, later in itertools.pairwise(points):
        assert later["rating"] - later["change"] == earlier["rating"]
    assert "Contests 3" in page.text, "one of the three is no game"
    assert "Rank 1 of 3 in Harbour Cup" in page.text


def test_after_a_roll_back_contests_are_in_the_order_in_which_that_run_rated_them(client, cup):
    page, points = (make(client.get("/c/main/players/ann/")) for make in (Page, chart_of))
    ratings, table, last = [point["rating"] for point in points["points"]], page.tables[0], Contest.objects.last()
    earlier = replace(ContestDescription(**description_as_json(last)), ends_at=last.ends_at - timedelta(days=9))
    describe_contest(last.pk, description=earlier, reason="wrong month")
    rate(cup)
    delete_contest(last.pk, reason="no, a duplicate")
    rate(cup)
    roll_back(cup.pk, 1, reason="not sure")
    response = client.get("/c/main/players/ann/")
    points = chart_of(response)["points"]
    assert [(point["contest"], point["rating"]) for point in points] == list(
        zip(["Spring", "Summer", "Autumn"], ratings, strict=True)
    )
    assert [point["at"] for point in points] == sorted(point["at"] for point in points)
    assert [row[4] for row in Page(response).tables[0]] == [row[4] for row in table]
    assert [row[1] for row in history_rows_of(client)] == ["Spring", "Summer", "Autumn"]
    series = Page(client.get(cup.get_absolute_url())).text
    assert "3 rated, including deleted ones" in series
    why = client.get(reverse("why", args=[cup.contests.get(name="Summer").pk, "ann"]))
    assert why.status_code == 200
    assert "Autumn" not in Page(why).text


def history_rows_of(client):
    """Return (number, contest) in the order of the file that visitors can download."""
    text = client.get(reverse("player-history", args=["main", "ann"])).content.decode("utf-8-sig")
    return [(row["number"], row["contest"]) for row in csv.DictReader(text.splitlines())]


def test_the_first_contest_is_marked(client, cup):
    rows = Page(client.get("/c/main/players/ann/")).tables[0][1:]
    assert ["First contest" in row[0] for row in rows] == [False, False, True]


@pytest.mark.parametrize("address", ["/c/main/players/ANN/", "/c/main/players/Ann/?series=cup"])
def test_another_letter_case_leads_to_the_handle(client, cup, address):
    response = client.get(address)
    assert (response.status_code, response["Location"]) == (301, address.lower())


def test_an_alias_leads_to_the_player(client, cup):
    PlayerAlias.objects.create(handle="annie", handle_key="annie", player=Player.objects.get(handle="ann"))
    response = client.get("/c/main/players/Annie/?series=cup")
    assert (response.status_code, response["Location"]) == (301, "/c/main/players/ann/?series=cup")


@pytest.mark.parametrize(
    "handle",
    ["a/b", "a b", "50%", "what?", "#1", "<b>", "Ω≈ç", "../x", "a;b", "x" * 128, "quote\"'", "{{ x }}", "a\\b"],
)
def test_every_handle_has_its_page(client, handle):
    contest = make_contest(standings=[(handle, 1), ("other", 2)])
    rate(contest.series)
    address = make_unrated_player(handle).get_absolute_url()
    page = Page(client.get(address))
    assert page.status == 200
    assert page.headings == [" ".join(handle.split())]
    assert Page(client.get(f"/contests/{contest.pk}/")).links[handle].split("?")[0] == address


def test_an_unknown_handle_names_the_nearest(client, cup):
    make_unrated_player("hamilton")
    make_unrated_player("hamilcar")
    page = Page(client.get("/c/main/players/hamiltno/"))
    assert page.status == 404
    assert "No player called “hamiltno”" in page.text
    assert page.text.index("Did you mean") < page.text.index("hamilton") < page.text.index("hamilcar")


@pytest.mark.parametrize("handle", ["%00", "x" * 3000, "%FF%FE", "%20", "%E2%80%AE", "%25", "_"])
def test_odd_handles_are_not_found(client, cup, handle):
    assert Page(client.get(f"/c/main/players/{handle}/")).status == 404


def test_several_series_are_tabs_and_the_last_played_one_is_open(client, cup):
    other = make_series("regatta", name="Regatta")
    make_contest(other, standings=[("ann", 1), ("bob", 2)], day=100)
    rate(other)
    page = Page(client.get("/c/main/players/ann/"))
    assert "of 2 in Regatta" in page.text
    assert page.links["Harbour Cup"] == "?series=cup"
    assert "of 3 in Harbour Cup" in Page(client.get("/c/main/players/ann/?series=cup")).text
    missing = Page(client.get("/c/main/players/ann/?series=nope"))
    assert missing.status == 404
    assert "has no rating in “nope”" in missing.text


def test_a_private_series_does_not_show(client, cup):
    ida = make_user("ida")
    secret = make_series("secret", name="Secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("zoe", 2)], day=100)
    rate(secret)
    assert "Secret" not in Page(client.get("/c/main/players/ann/")).text
    assert client.get("/c/main/players/zoe/").status_code == 404
    client.force_login(ida)
    assert "in Secret" in Page(client.get("/c/main/players/zoe/")).text


def test_a_player_whose_contests_are_unrated_sees_them(client):
    make_contest(name="Friendly", standings=[("ann", 1), ("bob", 2)], is_rated=False)
    page = Page(client.get("/c/main/players/bob/"))
    assert "No rating yet" in page.text
    assert page.tables[0][1][0].startswith("Friendly Unrated")
    assert page.tables[0][1][3] == "2"


def test_a_player_without_results_gets_an_explanation(client):
    client.force_login(make_user("boss", is_staff=True))
    make_player("ann", name="Ann Ångström", country="SE", affiliation="Uppsala")
    page = Page(client.get("/c/main/players/ann/"))
    assert "has not taken part in a finalized contest" in page.text
    assert "Ann Ångström ann Sweden Uppsala" in page.text
    assert page.headings[0] == "Ann Ångström"
    Community.objects.update(names_first=False)
    page = Page(client.get("/c/main/players/ann/"))
    assert page.headings[0] == "ann"
    assert "ann Ann Ångström Sweden Uppsala" in page.text


def test_scripts_for_graphs_load_where_there_is_a_graph(client, cup):
    make_unrated_player("zoe")
    assert b"chart.umd" in client.get("/c/main/players/ann/").content
    for address in ("/", "/c/main/players/zoe/", "/players/", "/c/main/series/cup/", "/contests/"):
        assert b"chart.umd" not in client.get(address).content, address


def test_hostile_names_cannot_leave_the_json(client):
    series = make_series()
    make_contest(series, name="</script><script>alert(1)</script>", standings=[("</script><b>", 1), ("x", 2)])
    rate(series)
    response = client.get(make_player("</script><b>").get_absolute_url())
    assert "<script>alert" not in response.content.decode()
    assert chart_of(response)["points"][0]["contest"] == "</script><script>alert(1)</script>"


def test_long_histories_come_in_pages_and_the_graph_has_all(client):
    series = make_series()
    for day in range(103):
        make_contest(series, standings=[("ann", 1 + day % 2), ("bob", 2 - day % 2)], day=day)
    rate(series)
    response = client.get("/c/main/players/ann/")
    page = Page(response)
    assert len(page.tables[0]) == 11
    everything = Page(client.get("/c/main/players/ann/" + page.links["All 103 games"].split("#")[0]))
    assert len(everything.tables[0]) == 51
    assert len(Page(client.get("/c/main/players/ann/?page=3")).tables[0]) == 4
    assert len(Page(client.get("/c/main/players/ann/?sort=place")).tables[0]) == 51
    assert len(chart_of(response)["points"]) == 103


def test_a_fermi_series_is_shown_on_its_scale(client, cup):
    choose_scheme(cup.pk, display={"mapping": "fermi", "range": 1000})
    points = chart_of(client.get("/c/main/players/ann/"))["points"]
    assert all(0 <= point["low"] <= point["rating"] <= point["high"] <= 1000 for point in points)
    assert "from 0 to 1,000" in Page(client.get("/c/main/series/cup/")).text


def test_a_lopsided_uncertainty_is_a_range_within_the_scale(client, cup):
    assert "true strength is within" in Page(client.get("/c/main/players/ann/")).text
    choose_scheme(cup.pk, display={"mapping": "fermi", "range": 10000})
    response = client.get("/c/main/players/ann/")
    low, high = re.search(r"true strength is between ([\d,]+) and ([\d,]+)\.", Page(response).text).groups()
    last = chart_of(response)["points"][-1]
    assert (int(low.replace(",", "")), int(high.replace(",", ""))) == (round(last["low"]), round(last["high"]))
    assert 0 <= last["low"] < last["rating"] < last["high"] <= 10000
