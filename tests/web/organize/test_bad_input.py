"""Bad input: a clear answer, nothing stored, never an error page."""

from __future__ import annotations

import gzip
import json

import pytest
from django.urls import reverse

from contests.models import Contest, Player, PlayerAlias, Series, Standing, Upload
from tests.factories import make_contest, make_player, make_series, rate
from tests.web.organize.forms import CONTEST, SERIES, confirm, finalize, save, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HEAD = "rank,handle,score\n"
FILES = {
    "only a header": (HEAD, "line"),
    "binary": (bytes(range(256)) * 40, "save the file as UTF-8"),
    "a workbook": (b"PK\x03\x04" + b"\0" * 200, "CSV"),
    "cut-off gzip": (gzip.compress(b"rank,handle\n1,ann\n" * 500)[:60], "damaged"),
    "same player twice": (HEAD + "1,ann,9\n2,ANN,8\n", "already in the contest"),
    "same player twice after normal form": (HEAD + "1,\u00e9va,9\n2,e\u0301va,8\n", "already in the contest"),
    "NaN as a score": (HEAD + "1,ann,NaN\n2,bob,8\n", "usable number"),
    "infinite score": (HEAD + "1,ann,inf\n2,bob,8\n", "usable number"),
    "ranks 1, 1, 2, 4": ("rank,handle\n1,ann\n1,bob\n2,eve\n4,zoe\n", "Expected rank 3 here"),
    "two columns for one thing": ("rank,handle,place\n1,ann,1\n", "both mean rank"),
    "control character in a handle": (HEAD + "1,a\x07nn,9\n", "control character"),
    "no column for handles": ("rank,score\n1,9\n", "handle"),
    "JSON nested a thousand deep": ("[" * 1000 + "]" * 1000, "nested"),
    "several contests": (
        "\n".join(json.dumps({"id": i, "name": i, "end_time": "2025-01-01T00:00:00Z", "standings": [["a", 1, None]]})
                  for i in "xy"),
        "several contests",
    ),
}  # fmt: skip


@pytest.fixture
def draft(series) -> Contest:
    return make_contest(series, finalized=False)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_explained_and_leaves_nothing(organizer, draft, name):
    content, hint = FILES[name]
    answer = upload(organizer, draft, content, "standings")
    assert answer.context["errors"].count
    assert hint.lower() in answer.content.decode().lower()
    assert "Save as draft" not in answer.content.decode()
    assert save(organizer, answer).context["errors"].count
    assert not Upload.objects.saved().exists()
    assert not Standing.objects.exists()
    assert not Player.objects.exists()


def test_all_problems_of_a_file_are_listed_at_once_in_its_order(organizer, draft):
    answer = upload(organizer, draft, HEAD + "1,ann,9\nsecond,bob,8\n3,Ann,7\n4,eve,NaN\n0,zoe,1\n")
    assert [problem.row for problem in answer.context["errors"].problems] == [3, 4, 5, 6]
    assert answer.content.decode().count('<th scope="row" class="num narrow">') == 5, "and the other row of the player"


@pytest.mark.parametrize(
    ("content", "handles"),
    [
        (b"\xef\xbb\xbf\xef\xbb\xbfrank,handle\n1,ann\n2,bob\n", ["ann", "bob"]),
        ("rank\thandle\n1\tann\n2\tb\u00f6b\n".encode("utf-16"), ["ann", "b\u00f6b"]),
        (gzip.compress(b"rank;handle\n1;ann\n2;bob\n"), ["ann", "bob"]),
    ],
    ids=["two byte order marks", "UTF-16", "gzip"],
)
def test_an_odd_file_that_can_be_understood_is_previewed(organizer, draft, content, handles):
    preview = upload(organizer, draft, content, "standings")
    assert [row.handle for row in preview.context["table"].rows] == handles


def test_a_file_over_the_limit_is_refused_with_its_size(organizer, draft, settings):
    settings.PODIUM_UPLOAD_LIMIT = 2**20
    answer = upload(organizer, draft, HEAD + "1,ann,9\n" * 200_000)
    assert answer.status_code == 413
    assert "The file is 2 MB, but the limit is 1 MB" in answer.content.decode()
    assert not Upload.objects.saved().exists()


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(organizer, draft, settings):
    settings.PODIUM_UPLOAD_LIMIT = 2**20
    answer = upload(organizer, draft, gzip.compress(HEAD.encode() + b"1,ann,9\n" * 500_000), "bomb.csv.gz")
    assert "larger than the 1 MB allowed" in answer.content.decode()


def test_a_paste_over_the_limit_is_refused_with_a_message(organizer, draft, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
    answer = organizer.post(reverse("organize:upload", args=[draft.pk]), {"text": "x" * 2**21})
    assert answer.status_code == 413
    assert "Upload it as a file" in answer.content.decode()


def test_no_input_and_double_input_have_different_messages(organizer, draft):
    address = reverse("organize:upload", args=[draft.pk])
    assert "Choose a file, or paste a table" in organizer.post(address, {}).content.decode()
    answer = upload(organizer, draft, b"")
    assert answer.status_code == 422
    assert "empty" in answer.content.decode()


def test_two_names_of_one_player_in_a_file_are_a_problem_with_its_line(organizer, draft):
    PlayerAlias.objects.create(handle="annie", handle_key="annie", player=make_player("ann"))
    answer = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n3,annie\n")
    assert [problem.row for problem in answer.context["errors"].problems] == [4]
    assert "same player as “ann” in row 2" in answer.content.decode()


MARKUP = "<script>alert(1)</script>"


def test_names_are_data_on_every_page(organizer, series):
    final = make_contest(series, standings=[(MARKUP, 1), ("=cmd()", 2)], name=MARKUP)
    rate(series)
    draft = make_contest(series, name=MARKUP, finalized=False)
    preview = upload(organizer, draft, f"rank,handle,name,team\n1,{MARKUP},{MARKUP},{MARKUP}\n2,=cmd(),,\n")
    pages = [preview, save(organizer, preview)]
    row = final.standings.get(player__handle=MARKUP)
    said = {"status": "unofficial", "place": "1", "reason": MARKUP}
    confirm(organizer, organizer.post(reverse("organize:correct", args=[row.pk]), said))
    ready = make_contest(series, standings=[(MARKUP, 1), ("=cmd()", 2)], name=MARKUP, finalized=False)
    for name, argument in [
        ("series", series), ("contest", final.pk), ("finalize", ready.pk),
        ("contest-delete", final.pk), ("contest-edit", draft.pk), ("correct", row.pk), ("upload", draft.pk),
    ]:  # fmt: skip
        pages.append(organizer.get(reverse(f"organize:{name}", args=[argument]), follow=True))
    rate(series)
    pages.append(organizer.get(reverse("organize:progress", args=[series])))
    for page in pages:
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
        assert "&lt;script&gt;alert" in page.content.decode()
    assert len(pages) == 10


CONTEST_FORMS = {
    "no name": ({"name": " "}, "name"),
    "no end": ({"ends_at": ""}, "ends_at"),
    "an end that is no date": ({"ends_at": "first of May"}, "ends_at"),
    "a year that no calendar has": ({"ends_at": "0001-01-01T00:00+14:00"}, "ends_at"),
    "a year far off": ({"ends_at": "9999-12-31T23:59-12:00"}, "ends_at"),
    "end before start": ({"starts_at": "2025-05-02T18:00"}, "starts_at"),
    "a weight of nothing": ({"weight": "0"}, "weight"),
    "a weight that is no number": ({"weight": "NaN"}, "weight"),
    "an infinite ceiling": ({"perf_ceiling": "inf"}, "perf_ceiling"),
    "a script for an address": ({"url": "javascript:alert(1)"}, "url"),
    "a direction override in the name": ({"name": "Spring \u202e Cup"}, "name"),
    "a NUL in the name": ({"name": "Spring\0"}, "name"),
    "a name of a thousand letters": ({"name": "a" * 1000}, "name"),
}


@pytest.mark.parametrize("name", CONTEST_FORMS)
def test_a_wrong_contest_form_has_an_error_at_the_field(organizer, series, name):
    wrong, field = CONTEST_FORMS[name]
    answer = organizer.post(reverse("organize:contest-create", args=[series]), {**CONTEST, **wrong})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Contest.objects.exists()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "ftp://example.org/", "example"])
def test_a_wrong_address_is_reported_once(organizer, series, address):
    answer = organizer.post(reverse("organize:contest-create", args=[series]), {**CONTEST, "url": address})
    assert answer.context["form"].errors == {"url": ["Enter a valid URL."]}


def test_times_without_a_zone_are_utc_and_offsets_are_converted(organizer, series):
    address = reverse("organize:contest-create", args=[series])
    organizer.post(address, {**CONTEST, "name": "plain", "ends_at": "2025-05-01T18:00"})
    organizer.post(address, {**CONTEST, "name": "offset", "ends_at": "2025-05-01T20:00+02:00"})
    ends = {str(end) for end in Contest.objects.values_list("ends_at", flat=True)}
    assert ends == {"2025-05-01 18:00:00+00:00"}
    assert Contest.objects.count() == 2


SERIES_FORMS = {
    "no name": ({"name": ""}, "name"),
    "a short name with spaces": ({"slug": "harbour cup"}, "slug"),
    "a name without Latin letters": ({"name": "港杯"}, "slug"),
    "a short name that is taken": ({"slug": "taken"}, "slug"),
    "control characters": ({"description": "a\u0000b"}, "description"),
}


@pytest.mark.parametrize("name", SERIES_FORMS)
def test_a_wrong_series_form_has_an_error_at_the_field(organizer, club, name):
    make_series("taken")
    wrong, field = SERIES_FORMS[name]
    answer = organizer.post(reverse("organize:series-create"), {**SERIES, **wrong})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert Series.objects.get().slug == "taken"


@pytest.mark.parametrize("wrong", [{"mapping": "roman"}, {"system": "tarot"}, {"mapping": "fermi", "range": "7"}])
def test_unknown_systems_and_displays_are_refused(organizer, club, wrong):
    assert organizer.post(reverse("organize:series-create"), {**SERIES, **wrong}).status_code == 422
    assert not Series.objects.filter(name=SERIES["name"], slug="").exists()


CORRECTIONS = {
    "no reason": {"reason": ""},
    "unknown status": {"status": "cheated"},
    "a place that does not exist": {"place": "77"},
    "place zero": {"place": "0"},
    "a place of many digits": {"place": "9" * 400},
    "ranked without a place": {"place": ""},
    "a score that is no number": {"score": "NaN"},
}


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_wrong_correction_changes_nothing(organizer, series, name):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    row = contest.standings.get(player__handle="ann")
    form = {"status": "ranked", "place": "2", "score": "", "reason": "recount", **CORRECTIONS[name]}
    answer = organizer.post(reverse("organize:correct", args=[row.pk]), form)
    assert answer.status_code == 422
    assert answer.context["form"].errors
    row.refresh_from_db()
    assert (row.place, row.rank, row.status) == (1, 1, "ranked")
    assert not series.stale_marks.exists()


def test_a_corrected_score_decides_the_place(organizer, series):
    contest = make_contest(series, standings=[("ann", 1, 9.0), ("bob", 2, 8.0)])
    row = contest.standings.get(player__handle="bob")
    page = organizer.get(reverse("organize:correct", args=[row.pk]))
    assert list(page.context["form"].fields) == ["status", "score", "penalty", "share", "handicap", "reason", "version"]
    said = {"status": "ranked", "score": "9½", "reason": "a late judgement"}
    confirm(organizer, organizer.post(reverse("organize:correct", args=[row.pk]), said))
    assert list(contest.standings.order_by("rank").values_list("player__handle", flat=True)) == ["bob", "ann"]
    row.refresh_from_db()
    assert row.score == 9.5
    german = organizer.get(reverse("organize:correct", args=[row.pk]), headers={"accept-language": "de"})
    assert 'value="9,5"' in german.content.decode()


def test_unknown_addresses_answer_404(organizer, series):
    draft = make_contest(series, finalized=False)
    for address in (
        "/organize/c/main/series/nothing/", f"/organize/contests/{10**30}/", "/organize/standings/0/correct/",
        "/organize/uploads/5/preview/", f"/organize/uploads/5/preview/?contest={draft.pk}",
        "/organize/uploads/5/preview/?contest=x%00",
    ):  # fmt: skip
        assert organizer.get(address).status_code == 404, address


@pytest.mark.parametrize("query", ["page=0", "page=x", f"page={10**30}", "page=-1", "q=%00", "q=" + "a" * 10_000])
def test_queries_out_of_range_show_a_page(organizer, series, query):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    for address in (reverse("organize:contest", args=[contest.pk]), reverse("organize:series", args=[series])):
        assert organizer.get(f"{address}?{query}").status_code == 200


def test_a_finalized_contest_takes_no_file(organizer, series):
    draft = make_contest(series, finalized=False)
    preview = upload(organizer, draft, HEAD + "1,ann,9\n2,bob,8\n")
    save(organizer, preview)
    finalize(organizer, draft)
    answer = organizer.post(reverse("organize:upload", args=[draft.pk]), CONTEST, follow=True)
    assert "is finalized" in answer.content.decode()
    assert "is finalized" in save(organizer, preview).content.decode()


def test_a_draft_without_standings_cannot_be_finalized(organizer, series):
    draft = make_contest(series, finalized=False)
    answer = organizer.post(reverse("organize:finalize", args=[draft.pk]), follow=True)
    assert "no ranked participants yet" in answer.content.decode()
    draft.refresh_from_db()
    assert draft.is_draft
