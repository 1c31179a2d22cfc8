"""Pictures, badges and widgets of players for other sites."""

import io
import re
from unittest import mock
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from contests.models import Player, PlayerAlias
from contests.services.series import describe_series
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user, rate
from web.public.share.figures import subject_of
from web.public.share.pictures import MISSING, _draw_figures, drawable, flag_picture, legible, visible, width_of
from web.shared.drawings import LINE_HEIGHT, LINE_MARGIN, LINE_WIDTH, sparkline

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

KINDS = ["cards", "badges", "widgets"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def cup():
    series = make_series("cup", name="Harbour <Cup> & “more”")
    for _ in range(3):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("<b>bold</b>", 3)])
    rate(series)
    return series


def badge_texts(answer):
    root = ElementTree.fromstring(answer.content)
    return root.find(f"{SVG}title").text, [text.text for text in root.iter(f"{SVG}text")]


def rating_of(client, handle):
    rows = client.get("/api/v1/communities/main/series/cup/leaderboard/").json()["results"]
    return next(row["rating"] for row in rows if row["player"]["handle"] == handle)


def test_a_card_is_a_png_of_the_size_that_other_sites_expect(client, cup):
    answer = client.get("/c/main/cards/ann/?series=cup")
    assert answer["Content-Type"] == "image/png"
    image = Image.open(io.BytesIO(answer.content))
    assert image.size == (1200, 630)
    assert len(answer.content) < 150_000
    assert len(image.getcolors(1_000_000)) > 50, "not an empty sheet"


def test_a_card_counts_games_in_a_series_of_games(cup):
    duels = make_series("duels")
    make_contest(duels, standings=[("ann", 1), ("bob", 2)])
    rate(duels)
    found = {slug: subject_of("main", "ann", slug).figures for slug in ("cup", "duels")}
    assert (found["cup"].of_games, found["duels"].of_games) == (False, True)
    for slug, said in (("cup", "rated contests: 3"), ("duels", "rated games: 1")):
        canvas = mock.Mock()
        _draw_figures(canvas, found[slug])
        assert said in [call.args[1] for call in canvas.text.call_args_list]


def test_cards_differ_by_player(client, cup):
    assert client.get("/c/main/cards/ann/?series=cup").content != client.get("/c/main/cards/bob/?series=cup").content


def test_a_card_has_the_flag_of_the_country(client, cup):
    def picture():
        return Image.open(io.BytesIO(client.get("/c/main/cards/ann/?series=cup").content)).convert("RGB")

    blue, yellow = flag_picture("SE").getpixel((5, 5)), flag_picture("SE").getpixel((26, 5))
    assert blue[2] > 2 * blue[0]
    assert min(yellow[:2]) > 2 * yellow[2]
    assert flag_picture("QQ") is None
    assert flag_picture("") is None
    before = picture()
    Player.objects.filter(handle="ann").update(country="SE", name="Ann Ångström")
    after = picture()
    colours = [{colour for _, colour in image.getcolors(1_000_000)} for image in (before, after)]
    assert [blue in found for found in colours] == [False, True]
    assert badge_texts(client.get("/c/main/badges/ann/?series=cup"))[0].startswith("Ann Ångström: ")


def test_a_badge_shows_the_rating_with_its_tier_and_series(client, cup):
    answer = client.get("/c/main/badges/ann/?series=cup")
    assert answer["Content-Type"].startswith("image/svg+xml")
    number = f"{rating_of(client, 'ann'):,}"
    title, (label, value) = badge_texts(answer)
    assert label == cup.name
    assert number in value
    assert title.startswith(f"ann: {number} (")
    assert title.endswith(f"in {cup.name}")


@pytest.mark.parametrize("style", ["flat", "square", "large", "flat-square", "for-the-badge", "", "nonsense", "%00"])
def test_every_style_is_well_formed_and_as_wide_as_its_parts(client, cup, style):
    root = ElementTree.fromstring(client.get(f"/c/main/badges/ann/?series=cup&style={style}").content)
    parts = [int(rect.get("width")) for rect in root.iter(f"{SVG}rect")]
    assert int(root.get("width")) == parts[0] == parts[1] + parts[2]
    assert root.get("aria-label")


def test_a_widget_has_the_figures_and_allows_any_frame(client, cup):
    answer = client.get("/c/main/widgets/ann/?series=cup&theme=dark")
    content = answer.content.decode()
    assert 'data-theme="dark"' in content
    assert f"{rating_of(client, 'ann'):,}" in content
    assert "rank 1 of 3" in content
    assert '<polyline points="' in content
    assert " style=" not in content
    assert "X-Frame-Options" not in answer
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "default-src 'none'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/c/main/players/ann/", "/c/main/cards/ann/", "/c/main/badges/ann/"])
def test_other_pages_do_not_allow_frames(client, cup, path):
    answer = client.get(path)
    assert answer["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("kind", KINDS)
def test_responses_are_cacheable_and_revalidated(client, cup, kind):
    answer = client.get(f"/c/main/{kind}/ann/?series=cup")
    again = client.get(f"/c/main/{kind}/ann/?series=cup", headers={"if-none-match": answer["ETag"]})
    assert again.status_code == 304
    assert again["ETag"] == answer["ETag"]
    assert not again.content
    make_contest(cup, standings=[("bob", 1), ("ann", 2)])
    rate(cup)
    later = client.get(f"/c/main/{kind}/ann/?series=cup", headers={"if-none-match": answer["ETag"]})
    assert later.status_code == 200
    assert later["ETag"] != answer["ETag"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_cache_shows_a_series_for_more_than_two_minutes_after_it_became_private(client, cup, kind):
    """As long as these directives allow, a proxy may serve its copy without asking again (RFC 9111, RFC 5861)."""
    address = f"/c/main/{kind}/ann/?series=cup"
    shown = client.get(address)
    said = dict(part.strip().partition("=")[::2] for part in shown["Cache-Control"].split(","))
    assert said == {"public": "", "max-age": "120", "s-maxage": "120"}, "and no stale-while-revalidate"
    describe_series(cup.pk, name="Cup", description="", is_public=False)
    asked_again = client.get(address, headers={"if-none-match": shown["ETag"]})
    assert asked_again.status_code == 404
    nothing = client.get(f"/c/main/{kind}/ann/?series=nowhere")
    assert (asked_again["ETag"], asked_again.content) == (nothing["ETag"], nothing.content)


@pytest.mark.parametrize("kind", KINDS)
def test_entity_tags_differ_by_style_theme_language_and_player(client, cup, kind):
    queries = ["ann/?series=cup", "ann/?series=cup&lang=de", "bob/?series=cup", "nobody/", "ann/?series=nowhere"]
    queries += {"badges": ["ann/?series=cup&style=large"], "widgets": ["ann/?series=cup&theme=dark"]}.get(kind, [])
    tags = [client.get(f"/c/main/{kind}/{query}")["ETag"] for query in queries]
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("kind", KINDS)
def test_private_series_are_hidden_even_from_their_organizers(client, kind):
    ida = make_user("ida")
    secret = make_series("secret", name="Secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("bob", 2)])
    rate(secret)
    client.force_login(ida)
    assert client.get(f"/c/main/{kind}/ann/?series=secret").status_code == 404
    bare = client.get(f"/c/main/{kind}/ann/")
    assert bare.status_code == 404, "a player who appears only in private series is hidden, too"
    make_contest(make_series("open"), standings=[("ann", 1)])
    later = client.get(f"/c/main/{kind}/ann/")
    assert later.status_code == 200
    assert b"Secret" not in later.content
    assert "sessionid" not in later.cookies


def test_the_default_series_is_that_of_the_latest_contest(client, cup):
    later = make_series("later", name="Later")
    make_contest(later, standings=[("ann", 1), ("bob", 2)], day=500)
    rate(later)
    assert badge_texts(client.get("/c/main/badges/ann/"))[1][0] == "Later"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("path", "status"),
    [("nobody/", 404), ("ann/?series=nowhere", 404), ("onlooker/", 200), ("onlooker/?series=cup", 200),
     ("a%00b/", 404), ("y" * 5000 + "/", 404), ("ann/?series=" + "x" * 9000, 404), ("ann/?series=%00cup", 200)],
)  # fmt: skip
def test_unknown_players_and_series_get_a_response_of_the_right_kind(client, cup, kind, path, status):
    make_unrated_player("onlooker")
    answer = client.get(f"/c/main/{kind}/{path}")
    assert answer.status_code == status
    types = {"cards": "image/png", "badges": "image/svg+xml; charset=utf-8", "widgets": "text/html; charset=utf-8"}
    assert answer["Content-Type"] == types[kind]
    assert len(answer.content) < 150_000


def test_unknown_players_and_series_are_named(client, cup):
    make_unrated_player("onlooker")
    said = {
        path: badge_texts(client.get(f"/c/main/badges/{path}"))[1]
        for path in ("nobody/", "ann/?series=no", "onlooker/")
    }
    assert said == {
        "nobody/": ["rating", "unknown player"],
        "ann/?series=no": ["rating", "unknown series"],
        "onlooker/": ["rating", "unrated"],
    }


HOSTILE = [
    "<script>alert(1)</script>", '"onload="x', "李明", "أمينة", "👍🏽", "a" + "\u0301" * 120, "\ue000\ue001", "W" * 128,
    "]]>&amp;", "𒐪" * 60,
]  # fmt: skip


@pytest.mark.parametrize("handle", HOSTILE)
def test_hostile_names_are_text_and_nothing_more(client, handle):
    series = make_series("cup", name=handle[:100])
    make_player(handle, name=handle)
    make_contest(series, standings=[(handle, 1), ("bob", 2)])
    rate(series)
    stored = Player.objects.exclude(handle="bob").get()
    path = stored.get_absolute_url().removeprefix("/c/main/players/")
    answers = {kind: client.get(f"/c/main/{kind}/{path}") for kind in KINDS}
    assert {answer.status_code for answer in answers.values()} == {200}
    badge_texts(answers["badges"])
    assert int(ElementTree.fromstring(answers["badges"].content).get("width")) < 420
    assert "<script>alert" not in answers["widgets"].content.decode()
    Image.open(io.BytesIO(answers["cards"].content)).verify()


def test_old_handles_show_the_renamed_player(client, cup):
    PlayerAlias.objects.create(player=Player.objects.get(handle="ann"), handle="Annie", handle_key="annie")
    assert badge_texts(client.get("/c/main/badges/ANNIE/?series=cup"))[0].startswith("ann: ")


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_queries_does_not_grow(client, kind):
    counts = []
    for number, contests in enumerate((1, 60)):
        series = make_series(f"cup-{number}")
        for _ in range(contests):
            make_contest(series, players=2)
        rate(series)
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/c/main/{kind}/p0/?series={series.slug}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 11


def test_missing_letters_are_replaced_and_illegible_names_omitted():
    assert drawable("Zoë Владимир Ελένη") == "Zoë Владимир Ελένη"
    assert drawable("李明") == MISSING * 2
    assert legible("ming李")
    assert not legible("李明")
    assert not legible("")


def test_invisible_characters_are_removed():
    assert visible("a\u202eb\u200b\x07 \n c\ue000") == "ab c"
    assert visible("e" + "\u0301" * 50) == "e" + "\u0301" * 3


def test_wide_letters_count_as_wide():
    assert width_of("李明", 10) == 20
    assert 0 < width_of("ii", 10) < width_of("WW", 10)


def test_a_sparkline_runs_from_edge_to_edge_and_from_bottom_to_top():
    points = [tuple(map(float, pair.split(","))) for pair in sparkline([10, 30, 20]).split()]
    assert points[0] == (LINE_MARGIN, LINE_HEIGHT - LINE_MARGIN)
    assert points[1] == (LINE_WIDTH / 2, LINE_MARGIN)
    assert points[2] == (LINE_WIDTH - LINE_MARGIN, LINE_HEIGHT / 2)
    assert sparkline([5]) == sparkline([]) == ""
    assert len(sparkline(list(range(10_000))).split()) == 150
    assert not re.search("nan|inf", sparkline([7, 7, 7]))
