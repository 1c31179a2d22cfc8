"""Home, series, the search for players, tier colours and the pages for errors."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from contests.models import Contest
from ratings.derived import derived
from ratings.derived.records import DERIVATION as RECORDS
from ratings.models import Rating, RatingChange, Scheme
from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user, rate
from tests.pages import Page, markup

pytestmark = pytest.mark.django_db


def test_an_empty_site_says_what_to_do(client):
    page = Page(client.get("/"))
    assert "make demo" in page.text
    assert page.links["Log in to begin"] == "/accounts/login/"


def test_home_shows_the_best_three_of_each_series_and_the_newest_results(client):
    cup = make_series("cup", name="Harbour Cup")
    make_contest(cup, name="Spring", standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)])
    rate(cup)
    content = client.get("/").content.decode()
    podium = re.search(r'<ol class="podium">(.*?)</ol>', content, re.DOTALL)[1]
    assert re.findall(r"/c/main/players/(\w+)/", podium) == ["ann", "bob", "cid"]
    page = Page(client.get("/"))
    assert "4 players · 1 contest" in page.text
    assert "Spring Winner ann Participants 4" in page.text
    assert "Biggest gain" not in page.text, "in a first contest everyone is new"


def test_players_with_the_same_rating_share_a_rank_on_the_card_of_a_series(client):
    cup = make_series("cup")
    make_contest(cup, standings=[("ann", 1), ("bob", 1), ("cid", 3)])
    rate(cup)
    assert re.findall(r'<li value="(\d+)"', client.get("/series/").content.decode()) == ["1", "1", "3"]


def test_series_with_the_newest_contests_come_first(client):
    make_series("a-quiet-one", name="A quiet one")
    make_contest(make_series("old", name="Old cup"), players=2, day=1)
    make_contest(make_series("new", name="New cup"), players=2, day=9)
    cards = re.findall(r'<h3 class="card-title"><a href="/c/main/series/([\w-]+)/"', markup(client.get("/")))
    assert cards == ["new", "old", "a-quiet-one"]


def test_home_names_six_series_and_leads_to_all(client):
    for number in range(7):
        make_contest(make_series(f"s{number}", name=f"Series {number}"), players=2, day=number)
    page = Page(client.get("/"))
    cards = re.findall(r'<h3 class="card-title"><a href="/c/main/series/(\w+)/"', markup(client.get("/")))
    assert cards == ["s6", "s5", "s4", "s3", "s2", "s1"]
    assert page.links["All series"] == "/series/"
    assert "Series 0" in Page(client.get("/series/")).links


def test_the_front_page_names_who_rose_and_fell_most_in_the_week(client):
    cup = make_series("cup", name="Harbour Cup")
    for day in (-30, 0):  # After two of four contests, ratings are no longer provisional.
        make_contest(cup, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)], day=day)
    # Two contests within a week count together: the losses of dan outweigh his gains.
    make_contest(cup, standings=[("dan", 1), ("cid", 2), ("bob", 3), ("ann", 4)], day=30)
    make_contest(cup, standings=[("cid", 1), ("ann", 2), ("bob", 3), ("dan", 4), ("eve", 5)], day=33, name="Second")
    rate(cup)
    derive_series(cup.pk)
    page = Page(client.get("/"))
    assert re.search(r"Second Winner cid Biggest gain ▲ ?\+\d+ cid Participants 5", page.text)
    moves = page.text[page.text.index("Biggest movers") :]
    sums = {}
    for change in RatingChange.objects.current().filter(contest__ends_at__gte=Contest.objects.get(name="Second").ends_at
                                                        - timedelta(days=7), number__gt=1):  # fmt: skip
        snapshot = snapshot_of(cup)
        after, before = (snapshot.rating_of(*pair) for pair in ((change.mu, change.sigma),
                                                                (change.mu_before, change.sigma_before)))  # fmt: skip
        sums[change.player.handle] = sums.get(change.player.handle, 0) + after - before
    rises, falls = moves.split("Biggest falls")
    names = r"\b(?:ann|bob|cid|dan|eve)\b"
    assert re.findall(names, rises) == sorted((n for n in sums if sums[n] > 0), key=lambda n: -sums[n])
    assert re.findall(names, falls.split("Records")[0]) == sorted(
        (n for n in sums if sums[n] < 0), key=lambda n: sums[n]
    )
    for name, change in sums.items():
        assert re.search(rf"{name}\b.*?[▲▼] ?[+−]{abs(change)}\b", moves), (name, change)


def test_players_with_provisional_ratings_are_no_movers_even_if_all_are_provisional(client):
    cup = make_series("cup")
    for day, handles in ((0, ["ann", "bob", "cid"]), (30, ["first", "bob", "ann", "cid"])):
        make_contest(cup, standings=[(handle, place) for place, handle in enumerate(handles, 1)], day=day)
        rate(cup)
        derive_series(cup.pk)
        page = Page(client.get("/")).text
        assert "Biggest" not in page
        assert "left out" not in page
    make_contest(cup, standings=[("second", 1), ("first", 2), ("cid", 3), ("ann", 4), ("bob", 5)], day=60)
    rate(cup)
    derive_series(cup.pk)
    page = Page(client.get("/")).text
    assert re.search(r"Biggest gain ▲ ?\+\d+ cid", page)
    assert "Biggest rises cid" in page
    assert "Players with a provisional rating are left out, because new ratings change a lot." in page
    assert "The biggest gains don’t include players with a provisional rating, because new ratings change" in page
    assert "In contests in which every rating was provisional" not in page


def test_the_week_of_an_established_series_does_not_compete_with_that_of_a_young_one(client):
    old, young = make_series("old"), make_series("young")
    for day in range(0, 100, 10):
        make_contest(old, standings=[("ann", 1 + day // 10 % 2), ("bob", 2 - day // 10 % 2)], day=day)
    for day in (88, 89):
        make_contest(young, standings=[(f"y{n}", n) for n in range(1, 9)], day=day)
    for series in (old, young):
        rate(series)
        derive_series(series.pk)
    moves = Page(client.get("/")).text.split("Biggest movers")[1].split("Records broken")[0]
    assert set(re.findall(r"\b(?:ann|bob|y\d)\b", moves)) == {"ann", "bob"}


def test_the_front_page_shows_records_of_the_week_but_no_older_ones(client):
    cup = make_series("cup", name="Harbour Cup")
    fields = [f"p{number}" for number in range(8)]
    for day in range(0, 90, 15):
        make_contest(cup, standings=[(name, place) for place, name in enumerate(fields, start=1)], day=day)
    rate(cup)
    derive_series(cup.pk)
    text = Page(client.get("/")).text
    assert re.search(r"p0 (reached [\d,]+, the highest rating ever|won 6 contests in a row)", text)
    make_contest(cup, standings=[(name, place) for place, name in enumerate(["new", "newer"], start=1)], day=120)
    rate(cup)
    derive_series(cup.pk)
    assert "Records broken" not in Page(client.get("/")).text


def test_there_is_no_record_that_a_rating_which_does_not_count_would_contradict(client):
    cup = make_series("cup", name="Harbour Cup")
    # Ada wins the first contest only. Ratings count from the second contest on, in which Bob stays below her.
    make_contest(cup, standings=[("ada", 1), ("bob", 2), ("cid", 3), ("dan", 4), ("eve", 5)], day=0)
    make_contest(cup, standings=[("cid", 1), ("bob", 2), ("dan", 3), ("eve", 4)], day=1)
    rate(cup)
    derive_series(cup.pk)
    peak, *_ = derived(snapshot_of(cup), RECORDS)["peaks"]
    best = Rating.objects.filter(series=cup).best_first().first()
    assert best.player.handle == "ada"
    assert peak[1] < snapshot_of(cup).rating(best.score)
    page = Page(client.get("/")).text
    assert "highest rating ever" not in page
    assert "is the new number one" not in page
    make_contest(cup, standings=[("ada", 1), ("cid", 2), ("bob", 3), ("dan", 4), ("eve", 5)], day=2)
    rate(cup)
    derive_series(cup.pk)
    assert re.search(r"ada reached [\d,]+, the highest rating ever", Page(client.get("/")).text)


@pytest.mark.parametrize("first_places", ["last, then first", "first at once"])
def test_the_largest_rise_is_not_called_so_while_a_new_player_rose_more(client, first_places):
    cup = make_series("cup", name="Harbour Cup")
    fields = [f"p{number}" for number in range(8)]
    of_newcomer = [[*fields, "new"], ["new", *fields]] if first_places == "last, then first" else [["new", *fields]]
    orders = [fields, fields, fields, *of_newcomer, fields, fields[::-1]]
    for number, order in enumerate(orders):
        make_contest(cup, standings=[(name, place) for place, name in enumerate(order, start=1)], day=10 * number)
    rate(cup)
    derive_series(cup.pk)
    records = derived(snapshot_of(cup), RECORDS)
    _, before, after, _ = records["gains"][0]
    assert after - before < records["largest_gain"]
    text = Page(client.get("/")).text
    assert f"gained {after - before} points, the largest rise ever (not counting new players)" in text
    assert text.count("largest rise ever") == 1


def test_the_front_page_takes_sixteen_queries_at_most(client, django_assert_max_num_queries):
    for players, series in ((8, 1), (200, 7)):
        for number in range(series):
            cup = make_series(f"cup-{players}-{number}")
            for _ in range(3):
                make_contest(cup, players=players)
            make_contest(cup, standings=[(f"p{n}", players - n) for n in range(players)], day=30)
            make_contest(cup, players=2, finalized=False, is_announced=True, ends_at=timezone.now() + timedelta(days=1))
            rate(cup)
            derive_series(cup.pk)
        client.get("/")
        with django_assert_max_num_queries(16):
            content = client.get("/").content.decode()
        assert content.count('class="card card-link series-card"') == min(6, series)
        assert content.count('class="week-change"') in range(4, 11)
        assert "coming-contest" in content


def test_the_right_column_is_never_empty(client):
    cup = make_series("cup", name="Harbour Cup")
    assert "An organizer publishes the results of a contest." in Page(client.get("/")).text
    make_contest(cup, players=4, name="Spring")
    rate(cup)
    other = make_series("other", name="Other")
    make_contest(other, players=4, day=-400)
    rate(other)
    text = Page(client.get("/")).text
    assert "Current leaders p0 Harbour Cup" in text, "nothing has been derived yet"


def test_one_busy_series_does_not_fill_the_results(client):
    busy = make_series("busy", name="Busy")
    for day in range(12):
        make_contest(busy, players=2, day=100 + day, name=f"Weekly {day}")
    for number in range(3):
        make_contest(make_series(f"s{number}"), players=2, day=number, name=f"Yearly {number}")
    titles = re.findall(r"/contests/\d+/\">([^<]+)</a></bdi>\s*</h3>", markup(client.get("/")))
    assert titles == [f"Weekly {day}" for day in (11, 10, 9, 8, 7)] + ["Yearly 2", "Yearly 1", "Yearly 0"]


def test_only_public_future_announcements_are_upcoming(client):
    cup, secret = make_series("cup", name="Harbour Cup"), make_series("secret", is_public=False)
    later = timezone.now() + timedelta(days=3)
    dates = {"players": 2, "finalized": False, "ends_at": later}
    coming = make_contest(cup, name="Next <b>one</b>", url="https://example.org/n", is_announced=True, **dates)
    make_contest(cup, name="Quiet", **dates)
    make_contest(secret, name="Hidden", is_announced=True, **dates)
    make_contest(cup, name="Past", is_announced=True, **dates | {"ends_at": timezone.now() - timedelta(days=1)})
    answer = client.get("/")
    page = Page(answer)
    assert "Next <b>one</b>" in page.text
    assert page.links["Next <b>one</b>"] == coming.get_absolute_url()
    assert f'href="/c/main/series/cup/what-if/?contest={coming.pk}"' in answer.content.decode()
    for name in ("Quiet", "Hidden", "Past"):
        assert name not in page.text


def test_a_series_explains_its_tiers_and_counts_its_players(client):
    cup = make_series("cup", description="Boats & <b>water</b>")
    make_contest(cup, players=9)
    rate(cup)
    page = Page(client.get("/c/main/series/cup/"))
    tiers = next(table for table in page.tables if table[0][0] == "Tier")[1:]
    assert len(tiers) == 8
    assert sum(int(row[2]) for row in tiers) == 9
    assert "Boats & <b>water</b>" in page.text
    assert "Elo-MMR After each contest, Podium compares every player’s place" in page.text
    assert "New players start at 1,500" in page.text
    assert "Players 9 Contests 1 Since 6 Jan 2024" in page.text


def test_a_new_series_has_a_page(client):
    make_series("cup")
    page = Page(client.get("/c/main/series/cup/"))
    assert page.status == 200
    assert "No ratings published yet" in page.text


def test_search_puts_beginnings_first_and_finds_names(client):
    for handle, name in (("maria", ""), ("ann", "Ann Marsh"), ("lamar", ""), ("zed", "")):
        make_unrated_player(handle, name=name)
    rows = Page(client.get("/players/?q=MAR")).tables[0][1:]
    assert [row[0].split(" ")[0] for row in rows] == ["maria", "Ann", "lamar"]


def test_search_shows_ratings_in_public_series(client):
    cup = make_series("cup", name="Harbour Cup")
    make_contest(cup, standings=[("ann", 1), ("bob", 2)])
    secret = make_series("secret", name="Secret", is_public=False)
    make_contest(secret, standings=[("ann", 1), ("bob", 2)])
    rate(cup)
    rate(secret)
    cell = Page(client.get("/players/?q=ann")).tables[0][1][2]
    assert "Harbour Cup" in cell
    assert "Secret" not in cell


def test_search_shows_fifty_and_says_that_there_are_more(client):
    make_contest(standings=[(f"x{n:03}", n + 1) for n in range(60)])
    page = Page(client.get("/players/?q=x"))
    assert len(page.tables[0]) == 51
    assert "These are the first 50." in page.text


@pytest.mark.parametrize("query", ["q=%00", "q=" + "y" * 10_000, "q=%FF", "q=%25", "q=_", "q=%5C"])
def test_odd_searches_give_a_page(client, query):
    make_player("ann")
    page = Page(client.get(f"/players/?{query}"))
    assert page.status == 200
    assert not page.tables


def test_colours_come_as_a_style_sheet_that_never_changes(client):
    cup = make_series()
    make_contest(cup, players=2)
    rate(cup)
    scheme = Scheme.objects.get()
    response = client.get(f"/tiers/{scheme.pk}.css")
    assert response["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in response["Cache-Control"]
    assert "Cookie" not in response.get("Vary", "")
    for number, tier in enumerate(scheme.tiers):
        rule = f".tier-{scheme.pk}-{number}{{--tier-light:{tier['colour_light']};--tier-dark:{tier['colour_dark']}}}"
        assert rule in response.content.decode()
    assert f"/tiers/{scheme.pk}.css" in client.get(f"/c/main/series/{cup.slug}/").content.decode()


def test_colours_of_a_private_series_are_for_its_members(client):
    """Anyone can guess the numbers of schemes, so a hidden scheme has to look like a missing one."""
    ida = make_user("ida")
    cup, secret = make_series(), make_series(is_public=False, organizer=ida)
    for series in (cup, secret):
        make_contest(series, players=2)
        rate(series)
    public, hidden = (Scheme.objects.get(series=series).pk for series in (cup, secret))
    known, unknown = (client.get(f"/tiers/{public},{pk}.css") for pk in (hidden, hidden + 1))
    assert f".tier-{public}-0" in known.content.decode()
    assert (known.content, known["Cache-Control"]) == (unknown.content, "private, no-cache")
    client.force_login(ida)
    shown = client.get(f"/tiers/{public},{hidden}.css")
    assert f".tier-{hidden}-0" in shown.content.decode()
    assert shown["Cache-Control"] == "private, no-cache"
    assert "Cookie" in shown["Vary"]


@pytest.mark.parametrize("ids", ["x", "1,,2", "-1", "1" * 30, ",".join("1" * 61), "١"])
def test_an_invalid_list_of_schemes_has_no_style_sheet(client, ids):
    assert client.get(f"/tiers/{ids}.css").status_code == 404


def test_logging_in_leads_to_the_next_page_and_a_wrong_password_is_reported(client):
    make_user("ida")
    assert "Log in" in Page(client.get("/accounts/login/")).headings
    wrong = client.post("/accounts/login/", {"login": "ida", "password": "no"})
    assert "The name and password do not match" in Page(wrong).text
    right = client.post("/accounts/login/", {"login": "ida", "password": "correct-horse-battery", "next": "/series/"})
    assert right["Location"] == "/series/"


def test_an_unknown_address_has_a_helpful_page(client):
    page = Page(client.get("/nowhere"))
    assert page.status == 404
    assert page.headings == ["Page not found"]
    assert page.links["Series"] == "/series/"


def test_a_form_without_its_token_is_explained(settings):
    from django.test import Client

    page = Page(Client(enforce_csrf_checks=True).post("/accounts/login/", {}))
    assert page.status == 403
    assert page.headings == ["The form could not be checked"]


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/series/",
        "/c/main/series/cup/",
        "/c/main/series/cup/leaderboard/",
        "/contests/",
        "/players/?q=ann",
        "/c/main/players/ann/",
    ],
)
def test_pages_follow_the_rules_for_markup(client, address):
    cup = make_series("cup")
    make_contest(cup, standings=[("ann", 1), ("bob", 2)])
    rate(cup)
    response = client.get(address)
    content = response.content.decode()
    assert len(Page(response).headings) == 1
    assert '<html lang="en">' in content
    assert " style=" not in content
    assert not re.search(r"\son\w+=", content)
    assert not re.search(r'(?:src|href)="(?:https?:)?//(?!testserver/)', content)
    assert content.count("<table") == content.count("<caption") == content.count("<thead")


def test_the_login_page_tells_visitors_how_to_get_an_account_in_plain_words(client):
    text = Page(client.get("/accounts/login/")).text
    assert "ask one of its organizers for an invitation" in text
    assert "manage.py" not in text
