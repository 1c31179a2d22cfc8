"""A format is one file: after registration, it is detected, read, sketched, annotated, listed and imported."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from contests import formats
from contests.formats import ParseError, Report, annotated, iter_contests, read_contests, sketch
from contests.models import Contest
from tests.contests.formats.toy import Shouts
from tests.factories import make_contest, make_series, make_user
from tests.pages import Page
from tests.web.organize.forms import save, upload

SOUND = b"%SHOUT\nann\nbob\neve\n"
REPEATED = b"%SHOUT\nann\nbob\nann\n"


@pytest.fixture(autouse=True)
def shouts(monkeypatch) -> Shouts:
    """The toy format, registered for one test."""
    monkeypatch.setattr(formats, "READERS", list(formats.READERS))
    reader = Shouts()
    formats.register(reader)
    return reader


@pytest.mark.parametrize("filename", ["round.shout", "round.shout.gz", "round", "round.txt2"])
def test_it_is_read_by_its_extension_or_by_its_content(filename):
    (contest,) = read_contests(SOUND, filename=filename)
    assert [(row.handle, row.place) for row in contest.standings] == [("ann", 1), ("bob", 2), ("eve", 3)]


def test_its_rows_are_counted_for_the_progress_of_the_review():
    told: list[int] = []
    many = b"%SHOUT\n" + b"".join(b"p%d\n" % i for i in range(2_500))
    list(iter_contests(many, filename="a.shout", report=Report(), progress=told.append))
    assert told == [2_500]


def test_it_names_its_own_fields_so_no_columns_can_be_chosen():
    assert (sketch(SOUND, filename="a.shout").kind, sketch(SOUND, filename="a.shout").columns) == ("document", [])


def test_it_is_annotated_in_its_own_way_and_keeps_its_extension():
    with pytest.raises(ParseError) as caught:
        read_contests(REPEATED, filename="a.shout")
    content, name = annotated(REPEATED, filename="a.shout", report=caught.value.report)
    assert name == "a-remarks.shout"
    first, _, _, last = content.decode().splitlines()
    assert first == "%SHOUT"
    assert last.startswith("ann # error: handle: ")
    assert annotated(content, filename=name, report=Report())[0] == REPEATED


def test_the_upload_page_lists_it_with_its_example(client, db):
    ida = make_user("ida")
    draft = make_contest(make_series("cup", organizer=ida), finalized=False)
    client.force_login(ida)
    page = client.get(reverse("organize:upload", args=[draft.pk]))
    assert "a list of shouts" in Page(page).text
    assert 'standings.csv" download>Shouts</a>' in page.content.decode()


def test_the_command_imports_it_and_names_it(capsys, db, tmp_path):
    path = tmp_path / "spring.shout"
    path.write_bytes(SOUND)
    call_command("import_contests", str(path), series="cup", end="2025-05-01T18:00:00Z", stderr=io.StringIO())
    assert Contest.objects.get(slug="spring").standing_count == 3
    with pytest.raises(SystemExit):
        call_command("import_contests", "--help")
    assert "a list of shouts" in " ".join(capsys.readouterr().out.split())


def test_a_file_of_it_is_reviewed_given_back_with_remarks_and_saved(client, db, settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "contests.uploads.files.WholeFiles", "OPTIONS": {"location": str(tmp_path)}},
    }
    ida = make_user("ida")
    draft = make_contest(make_series("cup", organizer=ida), finalized=False)
    client.force_login(ida)
    page = upload(client, draft, REPEATED, "round.shout")
    assert page.context["errors"].count == 1
    answer = client.get(reverse("organize:review-remarks", args=[draft.pk, page.context["staged"].token]))
    assert answer["Content-Disposition"] == 'attachment; filename="round-remarks.shout"'
    assert b"ann # error: handle: " in answer.content
    save(client, upload(client, draft, SOUND, "round.shout"))
    assert [row.player.handle for row in draft.standings.order_by("rank")] == ["ann", "bob", "eve"]


def test_the_guide_to_formats_names_every_format_with_its_extensions():
    guide = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    table = guide[guide.index("| extension |") : guide.index("\n\n", guide.index("| extension |"))]
    for reader in formats.READERS[1:]:
        assert reader.name in guide
        assert all(f"`{extension}`" in table for extension in reader.extensions), reader.name


def test_every_example_of_a_format_is_read_by_its_reader():
    folder = Path(__file__).parents[3] / "static" / "examples"
    checked = 0
    for reader in formats.READERS[1:]:
        for example in reader.examples:
            content = (folder / example.filename).read_bytes()
            assert formats.reader_for(example.filename, content[:4096]) is reader
            assert read_contests(content, filename=example.filename)
            checked += 1
    assert checked == 12
