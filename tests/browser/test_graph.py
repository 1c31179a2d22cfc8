"""The rating graph has the numbers of the table: by mouse and keyboard, in both themes, on paper, without scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from contests.services.correcting import Correction, correct_standing
from tests.browser.careers import CHART, PICTURE, center, lengthen, make_career, open_graph
from tests.factories import make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


@pytest.fixture
def player_page(screen: Screen):
    series = make_career(6)
    series.organizers.add(make_user("olga"))
    standing = series.contests.get(name="Round 2").standings.get(player__handle="eve")
    correct_standing(standing.pk, correction=Correction(status="disqualified"), reason="x", actor=make_user("otto"))
    rate(series)
    return open_graph(screen)


@pytest.mark.firefox_core
def test_the_graph_its_box_its_table_and_the_history_have_the_same_numbers(player_page, screen):
    drawn = player_page.evaluate(f"{CHART}.data.datasets[0].data.map((p) => p.y)")
    history = player_page.locator("tr[id^=contest-]").all_inner_texts()
    assert len(drawn) == len(history) == 6
    for rating, row in zip(drawn, reversed(history), strict=True):  # the table has the newest first
        assert f"{round(rating):,}" in row, (rating, row)
    middle, tip = center(player_page), player_page.locator(".chart-tip")
    player_page.mouse.move(middle["x"], middle["y"])
    tip.wait_for()
    text = tip.inner_text()
    for wanted in (r"Round \d", "place 1 of 4", r"Performance [\d,]+", r"[+−]\d+ · \w+", r"± range: [\d,]+ to [\d,]+"):
        assert re.search(wanted, text), text
    player_page.mouse.move(5, 5)
    tip.wait_for(state="hidden")
    figure = player_page.locator("[data-chart]")
    assert figure.locator("table").count() == 0, "made before anyone asked for it"
    figure.locator(".chart-numbers summary").click()
    figure.locator("table").wait_for()  # a script makes it once the browser has announced that the summary is open
    assert figure.locator("thead th").all_inner_texts() == [
        "Contest", "Date", "Place", "Performance", "Rating", "Change", "Tier", "Notes",
    ]  # fmt: skip
    rows = figure.locator("tbody tr").all_inner_texts()
    assert len(rows) == 6
    for rating, row, other in zip(reversed(drawn), rows, history, strict=True):
        assert f"{round(rating):,}" in row
        assert re.search(r"Round \d", row)[0] == re.search(r"Round \d", other)[0]
    assert screen.barriers() == []
    links = figure.locator("tbody a").evaluate_all("(links) => links.map((link) => link.pathname)")
    assert links[0] == player_page.locator("tr[id^=contest-] a[href^='/contests/']").first.get_attribute("href")


@pytest.mark.firefox_core
def test_arrow_keys_move_along_the_graph_and_say_where_they_are(player_page):
    canvas, status = player_page.locator("canvas"), player_page.locator("[data-chart-status]")
    before = player_page.evaluate(PICTURE)
    canvas.focus()
    canvas.press("Home")
    first = status.inner_text()
    assert re.match(r"1 of 6: Round 1, .* place 1 of 4, rating [\d,]+, change \+\d+, performance", first), first
    assert "Provisional" in first
    assert player_page.evaluate(PICTURE) != before, "the point is not shown"
    assert player_page.locator(".chart-tip").is_visible()
    canvas.press("ArrowRight")
    assert status.inner_text().startswith("2 of 6: Round 2")
    assert "Results amended on" in status.inner_text()
    canvas.press("ArrowLeft")
    assert status.inner_text() == first
    canvas.press("End")
    assert status.inner_text().startswith("6 of 6: Round 6")
    canvas.press("ArrowRight")
    assert status.inner_text().startswith("6 of 6"), "past the end there is nothing"
    canvas.press("Enter")
    assert player_page.evaluate("document.activeElement.innerText").startswith("Round 6")
    canvas.focus()
    player_page.keyboard.press("Tab")
    assert player_page.evaluate("document.activeElement.tagName") != "CANVAS", "the graph keeps the focus"
    player_page.keyboard.press("Shift+Tab")
    assert player_page.evaluate("document.activeElement.tagName") == "CANVAS"


@pytest.mark.chromium_only
def test_the_label_of_the_peak_stays_inside_the_graph_in_german_too(open_screen: Callable[..., Screen]):
    make_career(6)
    page = open_graph(open_screen(locale="de-DE", width=360))
    label, width, sides = page.evaluate(f"""() => {{
        const {{ ctx, config }} = {CHART};
        const {{ content, font, padding, position }} = config.options.plugins.annotation.annotations.peak;
        ctx.font = `${{font.weight}} ${{font.size}}px ${{Chart.defaults.font.family}}`;
        const scaled = (x) => ({{ x: {{ getPixelForValue: () => x }} }});
        const at = (x) => ({{ ctx, chartArea: {{ left: 0, right: 300 }}, scales: scaled(x) }});
        const width = ctx.measureText(content).width + 2 * padding.x + 2;
        return [content, width, [...Array(301).keys()].map((x) => position({{ chart: at(x) }}).x)];
    }}""")
    assert label.startswith("Höchststand")
    begins = {"start": 0, "center": -width / 2, "end": -width}
    for x, side in enumerate(sides):
        assert x + begins[side] >= -1, (x, side)
        assert x + begins[side] + width <= 301, (x, side)


@pytest.mark.chromium_only
def test_the_graph_is_redrawn_for_another_theme_and_for_paper(player_page):
    def printed() -> str:
        player_page.evaluate("dispatchEvent(new Event('beforeprint'))")
        return player_page.evaluate(PICTURE)

    light, paper = player_page.evaluate(PICTURE), printed()
    assert paper != light, "paper is narrower than the screen"
    player_page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert player_page.evaluate(PICTURE) == light
    background = "getComputedStyle(document.body).backgroundColor"
    before = player_page.evaluate(background)
    player_page.get_by_role("button", name="Dark theme").click()
    player_page.wait_for_function(f"(before) => {PICTURE} !== before", arg=light)
    assert player_page.evaluate(background) != before
    assert player_page.get_by_role("button", name="Dark theme").get_attribute("aria-pressed") == "true"
    assert printed() == paper, "on paper it is light whatever the screen is"
    player_page.emulate_media(media="print")
    assert player_page.locator("canvas").is_visible()
    for what in (".chart-controls", ".chart figcaption", ".chart-numbers"):
        assert not player_page.locator(what).first.is_visible(), what
    player_page.emulate_media(media="screen")
    player_page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert player_page.evaluate(PICTURE) != light
    player_page.reload()
    assert player_page.evaluate(background) != before


@pytest.mark.chromium_only
def test_histories_of_any_length_are_drawn_and_need_no_javascript(open_screen):
    make_career(1, handle="ann", series=make_series("short"))
    lengthen(make_career(2, handle="zoe", series=make_series("long")), 118, handle="zoe")
    screen = open_screen()
    for handle, contests in (("ann", 1), ("zoe", 120)):
        page = open_graph(screen, f"/c/main/players/{handle}/")
        assert page.evaluate(f"{CHART}.data.datasets[0].data.length") == contests
        page.locator("canvas").press("End")
        assert page.locator("[data-chart-status]").inner_text().startswith(f"{contests} of {contests}")
    page = open_screen(java_script_enabled=False).go("/c/main/players/ann/")
    assert page.locator("tr[id^=contest-]").count() == 1
    assert page.locator(".chart-still circle").count() == 1
    page = open_screen(java_script_enabled=False).go("/c/main/players/zoe/")
    assert not page.locator(".chart-controls").is_visible()
    still, frame = page.locator(".still-line").bounding_box(), page.locator(".chart-frame").bounding_box()
    assert still is not None
    assert frame is not None
    assert frame["x"] < still["x"] < still["x"] + still["width"] < frame["x"] + frame["width"]
    assert still["width"] > 0.8 * frame["width"]


@pytest.mark.chromium_only
def test_by_date_the_line_passes_once_through_each_narrow_day(screen):
    series = make_series("cup")
    for number in range(24):
        order = ("ann", "bob") if number % 2 else ("bob", "ann")
        make_contest(series, standings=[(order[0], 1), (order[1], 2)], day=20 * (number // 6) + number % 6 / 24)
    rate(series)
    page = open_graph(screen)
    page.evaluate("""() => {
      const { arc } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.arc = function (...where) { window.dots += 1; return arc.apply(this, where); };
    }""")

    def dots() -> int:
        return page.evaluate(f"() => {{ window.dots = 0; {CHART}.draw(); return window.dots; }}")

    by_date = dots()
    page.get_by_role("button", name="By game").click()
    assert by_date <= dots() - 18
    page.get_by_role("button", name="By date").click()
    assert dots() == by_date
    page.evaluate(f"""() => {{
      const [first, last] = [6, 11].map((place) => {CHART}.data.datasets[0].data[place].x);
      {CHART}.zoomScale("x", {{ min: first - 3.6e6, max: last + 3.6e6 }}, "none");
    }}""")
    assert dots() > by_date, "the games of a wide day are apart"


@pytest.mark.chromium_only
def test_the_graph_tells_games_as_won_drawn_or_lost(screen):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    for place, other in ((1, 2), (1, 1), (2, 1)):
        make_contest(series, standings=[("ann", place), ("bob", other)])
    rate(series)
    page = open_graph(screen)
    canvas, status = page.locator("canvas"), page.locator("[data-chart-status]")
    canvas.focus()
    said = []
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        canvas.press(key)
        result = status.inner_text().split(", rating")[0].rpartition(", ")[2]
        assert result in page.locator(".chart-tip").inner_text()
        said.append(result)
    assert said == ["place 1 of 3", "won", "drawn", "lost"]
    page.locator(".chart-numbers summary").click()
    # The script that fills the table may still be loading.
    rows = page.locator("[data-chart-rows] tbody tr")
    rows.first.wait_for()
    assert [row.locator("td").nth(1).inner_text() for row in rows.all()] == ["lost", "drawn", "won", "1 / 3"]
