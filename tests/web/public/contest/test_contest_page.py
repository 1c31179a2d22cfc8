"""The page of a contest."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.models import StandingStatus
from contests.queries.amendments import MOST_SHOWN
from contests.queries.winners import podium_of
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from contests.services.participants import add_standing, remove_standing
from tests.factories import make_contest, make_series, make_unrated_player, make_user, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db


def page_of(client, contest, query=""):
    return Page(client.get(f"/contests/{contest.pk}/{query}"))


def number(text):
    return int(re.sub(r"[^\d-]", "", text.replace("−", "-")))


def test_before_plus_change_is_after(client):
    series = make_series()
    make_contest(series, players=5)
    contest = make_contest(series, standings=[("p4", 1, 12.5), ("p3", 2, 7), ("new", 3)])
    rate(series)
    table = page_of(client, contest).tables[0]
    assert table[0] == ["Place", "Player", "Score", "Performance", "Rating", "Change"]
    assert [row[2] for row in table[1:]] == ["12.5", "7", "–"]
    for row in table[1:]:
        before, after = row[4].split("→")
        assert row[5].endswith(f": rating change of {row[1].split(' ')[0]}")
        change, rating = row[5].split(":")[0], after.replace("to", "").split("(")[0]
        assert number(before.replace("to", "")) + number(change) == number(rating)
    assert "▲" in table[1][5]
    assert "▼" in table[3][5]


def test_changes_of_provisional_ratings_are_marked_where_some_are(client):
    series = make_series()
    contests = [make_contest(series, players=3) for _ in range(9)]
    late = make_contest(series, standings=[("new", 1), ("p0", 2), ("p1", 3)])
    again = make_contest(series, standings=[("new", 1), ("p0", 2), ("p1", 3)])
    rate(series)
    note = (
        "Such ratings change a lot, so the story and the analysis don’t count them among the largest gains and losses."
    )
    for contest in (late, again):
        page = page_of(client, contest)
        marks = ["?" in row[-1] for row in page.tables[0][1:]]
        assert (marks, note in page.text) == ([True, False, False], True)
    for contest in contests:  # before the sixth, all ratings are provisional
        page = page_of(client, contest)
        assert not any("?" in row[-1] for row in page.tables[0][1:])
        assert note not in page.text


def test_penalties_that_order_equal_scores_are_shown(client):
    contest = make_contest(standings=[("ann", 1, 8), ("bob", 2, 8), ("cid", 3, 7), ("dan", 4)])
    rate(contest.series)
    assert "Penalty" not in page_of(client, contest).text
    for handle, penalty in (("ann", 387), ("bob", 1468.5), ("cid", 0)):
        contest.standings.filter(player__handle=handle).update(penalty=penalty)
    page = page_of(client, contest)
    table = page.tables[0]
    assert table[0] == ["Place", "Player", "Score", "Penalty", "Performance", "Rating", "Change"]
    assert [row[2:4] for row in table[1:]] == [["8", "387"], ["8", "1,468.5"], ["7", "0"], ["–", "–"]]
    # The podium, and the line below each name on phones, where the table has no room for the columns.
    assert page.text.count("Score 8, penalty 387") == page.text.count("Score 8, penalty 1,468.5") == 2
    german = Page(client.get(f"/contests/{contest.pk}/", headers={"accept-language": "de"}))
    assert "Strafe" in german.tables[0][0]
    assert "Punktzahl 8, Strafe 1.468,5" in german.text


def test_a_contest_with_penalties_only_shows_them(client):
    """Times of a race, for example, with the places in the file."""
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    contest.standings.filter(player__handle="ann").update(penalty=3723)
    rate(contest.series)
    page = page_of(client, contest)
    assert page.tables[0][0][2] == "Penalty"
    assert page.text.count("Penalty 3,723") == 2


def test_players_in_their_first_contest_are_marked_as_new(client):
    series = make_series()
    # The player in the middle keeps the mean of a newcomer, but is no longer one.
    first = make_contest(series, standings=[("ann", 1), ("mid", 2), ("bob", 3)])
    second = make_contest(series, standings=[("ann", 1), ("mid", 2), ("cid", 3)])
    rate(series)
    assert [row[1] for row in page_of(client, first).tables[0][1:]] == [
        "ann New player",
        "mid New player",
        "bob New player",
    ]
    assert [row[1] for row in page_of(client, second).tables[0][1:]] == ["ann", "mid", "cid New player"]


def test_unranked_rows_come_last_with_a_badge_and_without_change(client):
    rows = [("ann", 2), ("eve", 1, None, StandingStatus.DISQUALIFIED), ("bob", 3), ("gus", 4, None, "unofficial")]
    contest = make_contest(standings=rows)
    rate(contest.series)
    table = page_of(client, contest).tables[0][1:]
    assert [row[:2] for row in table] == [
        ["1", "ann New player"],
        ["2", "bob New player"],
        ["–", "eve Disqualified"],
        ["–", "gus Not ranked"],
    ]
    assert table[2][2:] == ["–", "–", "–"]


def test_results_that_wait_for_their_ratings_say_so(client):
    contest = make_contest(players=3)
    page = page_of(client, contest)
    assert "Not rated yet" in page.text
    assert page.tables[0][0] == ["Place", "Player"]
    rate(contest.series)
    assert "Not rated yet" not in page_of(client, contest).text


def test_an_unrated_contest_says_so(client):
    contest = make_contest(players=3, is_rated=False)
    rate(contest.series)
    assert "This contest is unrated" in page_of(client, contest).text


def test_facts_are_shown(client):
    contest = make_contest(
        players=3,
        name="Cup",
        weight=2.5,
        perf_ceiling=2400,
        url="https://cup.example/round?x=1",
        amended_at=timezone.now(),
    )
    page = page_of(client, contest)
    for fact in ("Participants 3", "Weight 2.5", "Performance ceiling 2,400", "Web page cup.example", "amended on"):
        assert fact in page.text


def test_amendments_are_shown_with_reasons_but_no_organizer(client):
    ida = make_user("ida-the-organizer")
    contest = make_contest(make_series(organizer=ida), standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    rate(contest.series)
    ann = contest.standings.get(player__handle="ann")
    correct_standing(ann.pk, correction=Correction("disqualified", place=1), reason="used a <b>robot</b>", actor=ida)
    contest.refresh_from_db()
    said = replace(ContestDescription(**description_as_json(contest)), weight=2.0, name="Final")
    describe_contest(contest.pk, description=said, reason="it was the final", actor=ida)
    rate(contest.series)
    response = client.get(f"/contests/{contest.pk}/")
    page = Page(response)
    assert "ann: place 1 → disqualified" in page.text
    assert "used a <b>robot</b>" in page.text
    for reason in ("used a &lt;b&gt;robot&lt;/b&gt;", "it was the final"):
        assert f"<q><bdi>{reason}</bdi></q>" in response.content.decode()
    assert "weight 1 → 2 – it was the final" in page.text
    assert "ida-the-organizer" not in page.text


def test_new_names_hide_no_amendment(client):
    contest = make_contest(make_series(), standings=[("ann", 1), ("bob", 2)])
    rate(contest.series)
    ann = contest.standings.get(player__handle="ann")
    correct_standing(ann.pk, correction=Correction("disqualified", place=1), reason="used a robot")
    for number in range(MOST_SHOWN):
        contest.refresh_from_db()
        said = replace(ContestDescription.of(contest), name=f"Final {number}")
        describe_contest(contest.pk, description=said, reason="a better name")
    page = page_of(client, contest)
    assert "ann: place 1 → disqualified – used a robot" in page.text
    assert "a better name" not in page.text


def test_amendments_say_who_was_added_and_removed(client):
    contest = make_contest(make_series(), standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    rate(contest.series)
    add_standing(contest.pk, handle="zoe", correction=Correction("ranked", place=4), reason="forgotten")
    remove_standing(contest.standings.get(player__handle="eve").pk, reason="a guest")
    bob = contest.standings.get(player__handle="bob")
    correct_standing(bob.pk, correction=Correction("ranked", place=1, shares_place=True), reason="a tie")
    page = Page(client.get(f"/contests/{contest.pk}/"))
    for words in ("zoe: added (place 4) – forgotten", "eve: removed (previously place 3) – a guest"):
        assert words in page.text
    assert "bob: place 2 → 1 – a tie" in page.text


def test_amendments_from_and_to_a_status_name_the_place_alone(client):
    contest = make_contest(make_series(), standings=[("ann", 1), ("bob", 2, None, "disqualified")])
    rate(contest.series)
    ann, bob = (contest.standings.get(player__handle=handle) for handle in ("ann", "bob"))
    correct_standing(bob.pk, correction=Correction("ranked", place=2), reason="appeal upheld")
    correct_standing(ann.pk, correction=Correction("unofficial", place=1), reason="a guest")
    text = page_of(client, contest).text
    assert "bob: disqualified → place 2 – appeal upheld" in text
    assert "ann: place 1 → not ranked – a guest" in text
    remove_standing(ann.pk, reason="never started")
    assert "ann: removed (previously not ranked) – never started" in page_of(client, contest).text


def test_only_organizers_see_a_draft(client):
    ida = make_user("ida")
    contest = make_contest(make_series(organizer=ida), players=3, finalized=False)
    assert client.get(f"/contests/{contest.pk}/").status_code == 404
    client.force_login(make_user("eve"))
    assert client.get(f"/contests/{contest.pk}/").status_code == 404
    client.force_login(ida)
    page = page_of(client, contest)
    assert page.status == 200
    assert "This is a draft" in page.text


def test_a_deleted_contest_is_gone_with_a_message(client):
    contest = make_contest(players=3, name="Mistake")
    delete_contest(contest.pk, reason="entered twice", actor=None)
    page = page_of(client, contest)
    assert page.status == 410
    assert "“Mistake”" in page.text
    assert "It no longer counts towards any rating." in page.text


def test_a_deleted_contest_says_that_published_ratings_still_count_it_until_the_next_run_or_after_a_roll_back(client):
    series = make_series()
    make_contest(series, players=3)
    contest = make_contest(series, players=3)
    rate(series)
    delete_contest(contest.pk, reason="entered twice", actor=None)
    why = reverse("why", args=[contest.pk, contest.standings.first().player.handle])
    assert "the published ratings still include it" in page_of(client, contest).text
    rate(series)
    assert "It no longer counts towards any rating." in page_of(client, contest).text
    roll_back(series.pk, 1, reason="not sure yet")
    for page in (page_of(client, contest), Page(client.get(why))):
        assert page.status == 410
        assert "the published ratings still include it" in page.text
        assert "no longer counts" not in page.text


def test_the_name_of_a_deleted_draft_stays_private(client):
    draft = make_contest(players=3, name="Surprise", finalized=False)
    delete_contest(draft.pk, reason="", actor=None)
    page = client.get(f"/contests/{draft.pk}/")
    assert page.status_code == 404
    assert "Surprise" not in page.content.decode()


@pytest.mark.parametrize("pk", ["0", "99999", "9" * 40])
def test_an_unknown_contest_is_not_found(client, pk):
    assert client.get(f"/contests/{pk}/").status_code == 404


def test_pages_show_every_row_once_and_a_handle_opens_its_page(client):
    contest = make_contest(players=230)
    rate(contest.series)
    handles = []
    for page in (1, 2, 3, 4, 5):
        handles += [row[1].split(" ")[0] for row in page_of(client, contest, f"?page={page}").tables[0][1:]]
    assert handles == [f"p{number}" for number in range(230)]
    found = client.get(f"/contests/{contest.pk}/?find=P217").content.decode()
    assert "201–230 of 230" in found
    assert re.search(r'is-marked" id="found">\s*<td class="num">218</td>', found)


def test_a_player_who_did_not_take_part_is_reported(client):
    contest = make_contest(players=2)
    make_unrated_player("zoe")
    assert "zoe did not take part in this contest" in page_of(client, contest, "?find=zoe").text
    assert "No participant has the handle “<i>x”" in page_of(client, contest, "?find=<i>x").text


def test_teams_have_a_column(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 1), ("cid", 3)], has_teams=True, is_rated=False)
    contest.standings.filter(rank=1).update(team="The <b>Anchors")
    table = page_of(client, contest).tables[0]
    assert table[0][2] == "Team"
    assert [row[2] for row in table[1:]] == ["The <b>Anchors", "The <b>Anchors", ""]


def test_names_are_text_and_isolated(client):
    contest = make_contest(
        name="<script>alert(1)</script>",
        standings=[("<img src=x onerror=alert(2)>", 1), ("\u202eevil", 2), ("{{ 7 }}", 3)],
    )
    rate(contest.series)
    content = client.get(f"/contests/{contest.pk}/").content.decode()
    assert "<script>alert" not in content
    assert "<img" not in content
    assert "&lt;img src=x onerror=alert(2)&gt;</a></bdi>" in content
    assert re.search(r"<bdi><a\s[^>]*>\u202eevil</a></bdi>", content)
    assert "{{ 7 }}" in content


def test_each_change_links_to_its_explanation(client):
    contest = make_contest(standings=[("ann", 1), ("a/b", 2)])
    rate(contest.series)
    links = page_of(client, contest).links
    assert f"/contests/{contest.pk}/why/ann/" in links.values()
    assert f"/contests/{contest.pk}/why/a/b/" in links.values()


def test_the_podium_has_the_first_three_places_and_counts_ties(client):
    rows = [("ann", 1), ("bob", 1), ("cid", 3), ("dan", 4)]
    contest = make_contest(standings=rows)
    assert [(step.rank, len(step.standing_ids)) for step in podium_of(contest)] == [(1, 2), (3, 1)]
    many = make_contest(standings=[*((f"w{number}", 1) for number in range(9)), ("last", 10)])
    (step,) = podium_of(many)
    assert (step.rank, len(step.standing_ids), step.more) == (1, 6, 3)
    assert "and 3 more" in page_of(client, many).text


def test_all_players_on_the_podium_have_a_monogram(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 1), ("eve", 3), ("joe", 4)])
    html = client.get(f"/contests/{contest.pk}/").content.decode()
    podium = html.split('<ol class="podium-of-2">')[1].split("</ol>")[0]
    assert podium.count('class="monogram') == 3


def test_the_podium_names_teams(client):
    contest = make_contest(
        standings=[("ann", 1), ("bob", 1), ("cid", 3)], teams={"ann": "Reds", "bob": "Reds"}, is_rated=False
    )
    assert [step.team for step in podium_of(contest)][:1] == ["Reds"]
    assert "Podium Place 1 Reds ann" in page_of(client, contest).text


def test_after_a_roll_back_an_amended_contest_does_not_claim_that_ratings_follow(client):
    series = make_series()
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    ann = contest.standings.get(player__handle="ann")
    correct_standing(ann.pk, correction=Correction("disqualified", place=1), reason="robot", actor=None)
    rate(series)
    assert "Ratings reflect the corrected results." in page_of(client, contest).text
    roll_back(series.pk, 1, reason="appeal")
    text = page_of(client, contest).text
    assert "Ratings reflect the corrected results." not in text
    assert "they may not reflect the corrected results." in text
    assert "1 bob New player place used for the rating: 2" in text
    assert "Disqualified place used for the rating: 1" in text


def test_a_contest_links_to_the_previous_and_next_ones(client):
    series = make_series()
    # The last two end at the same time, so their sequence decides.
    first = make_contest(series, players=2, day=1, name="First")
    third = make_contest(series, players=2, day=2, sequence=2, name="Third")
    second = make_contest(series, players=2, day=2, sequence=1, name="Second")
    make_contest(series, players=2, day=1.5, finalized=False, name="Draft")
    make_contest(players=2, day=1.5, name="Elsewhere")
    pages = [client.get(f"/contests/{contest.pk}/").content.decode() for contest in (first, second, third)]
    found = [dict(re.findall(r'rel="(prev|next)" href="/contests/(\d+)/"', page)) for page in pages]
    assert found == [
        {"next": str(second.pk)},
        {"prev": str(first.pk), "next": str(third.pk)},
        {"prev": str(second.pk)},
    ]


def test_only_feeds_of_public_series_are_linked(client):
    ida = make_user("ida")
    open_one, private = make_contest(players=2), make_contest(make_series(is_public=False, organizer=ida), players=2)
    client.force_login(ida)
    assert b'rel="alternate"' in client.get(f"/contests/{open_one.pk}/").content
    content = client.get(f"/contests/{private.pk}/").content
    assert b'rel="alternate"' not in content
    assert b"contests.ics" not in content.split(b"</main>")[0]
