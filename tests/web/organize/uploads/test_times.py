"""Times of races on pages: from the review of a file to the standings, and back into a file."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.formats import read_contests
from tests.factories import make_contest, rate
from tests.pages import text_of
from tests.web.organize.forms import finalize, save, upload

pytestmark = pytest.mark.django_db

TABLE = "Platz;Name;Zeit\n1;Ann;1:02:03\n2;Bo;1:05:00,5\nDNF;Cy;\n"


def test_times_are_shown_as_times(organizer, client, series):
    draft = make_contest(series, finalized=False)
    review = upload(organizer, draft, TABLE)
    pages = [text_of(review)]
    save(organizer, review)
    pages.append(text_of(organizer.get(reverse("organize:contest", args=[draft.pk]))))
    finalize(organizer, draft)
    rate(series)
    pages.append(text_of(client.get(draft.get_absolute_url())))
    row = draft.standings.get(player__handle="Bo")
    assert "time 1:05:00.5" in text_of(organizer.get(reverse("organize:correct", args=[row.pk])))
    for page in pages:
        assert "1:02:03" in page
        assert "1:05:00.5" in page
        assert "Penalty" not in page
        assert "3,723" not in page
    assert "Time 1:02:03" in pages[2], "on the podium"
    content = client.get(f"/contests/{draft.pk}/standings.csv").content
    lines = [",".join(line.split(",")[:7]) for line in content.decode().splitlines()]
    assert lines[:3] == ["rank,handle,name,country,team,score,penalty", "1,Ann,,,,,1:02:03", "2,Bo,,,,,1:05:00.5"]
    wanted = "\n".join(lines[:3]).encode()
    (again,) = read_contests(wanted, filename="standings.csv")
    assert [row.penalty for row in again.standings] == [3723.0, 3900.5]
    assert again.has_times


def test_other_penalties_stay_numbers(organizer, client, series):
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, "rank,name,penalty\n1,Ann,3723\n2,Bo,3900\n"))
    finalize(organizer, draft)
    assert "Penalty 3,723" in text_of(client.get(draft.get_absolute_url()))
