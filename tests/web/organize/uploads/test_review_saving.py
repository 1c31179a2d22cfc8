"""Saving a reviewed file: all or nothing, also after concurrent changes, and only by organizers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contests.models import AuditEntry, Contest, Upload, UploadState
from contests.models.contest import UploadQuerySet
from contests.services.merging import merge_players, split_players
from contests.uploads.staging import find_staged
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import decide, handles, stored

pytestmark = pytest.mark.django_db


def test_the_second_organizer_to_save_is_warned_and_loses_nothing(organizer, client, series, draft):
    bo = make_user("bo")
    series.organizers.add(bo)
    review = upload(organizer, draft, "rank,handle\n1,ann b\n2,bob\n")
    make_player("ann")
    review = decide(organizer, review, handle_0="ann b", who_0="typed", typed_0="ann")
    shown = review.context["version"]
    other = client.__class__()
    other.force_login(bo)
    save(other, upload(other, draft, "rank,handle\n1,zoe\n2,kim\n"))
    answer = press(organizer, review, "save", version=shown)
    assert "changed by bo" in Page(answer).text
    assert handles(draft) == ["zoe", "kim"], "nothing of the other is lost"
    assert "Save as draft standings anyway" in Page(answer).text
    assert answer.context["review"].unmatched[0].meant.handle == "ann"
    save(organizer, answer)
    assert handles(draft) == ["ann", "bob"]


def test_saving_twice_saves_once(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    first, second = save(organizer, review), save(organizer, review)
    assert first.status_code == second.status_code == 200
    assert AuditEntry.objects.filter(action="contest.standings").count() == 1
    assert find_staged(review.context["staged"].token) is None


def test_discarding_a_file_while_it_is_saved_discards_nothing(organizer, draft, monkeypatch):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    lock = UploadQuerySet.select_for_update

    def after_the_save(rows, **options):
        staged = Upload.objects.staged()
        Contest.objects.filter(pk=draft.pk).update(upload=staged.get())
        staged.update(state=UploadState.SAVED, draft=None)
        return lock(rows, **options)

    monkeypatch.setattr(UploadQuerySet, "select_for_update", after_the_save)
    answer = press(organizer, review, "discard")
    assert "Saved" in Page(answer).text
    assert "Discarded" not in Page(answer).text
    assert Contest.objects.get(pk=draft.pk).upload == Upload.objects.get()


def test_a_save_that_fails_in_the_middle_leaves_nothing(organizer, draft, monkeypatch, stored_files):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    before, files = stored(), sorted(stored_files())

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("contests.uploads.saving.save_standings", fail)
    with pytest.raises(RuntimeError):
        save(organizer, review)
    assert stored() == before
    assert sorted(stored_files()) == files
    monkeypatch.undo()


def test_the_message_of_a_single_row_is_in_the_singular(organizer, draft):
    saved = save(organizer, upload(organizer, draft, "rank,handle\n1,ann\n"))
    assert "Saved 1 row of standings.csv as draft standings." in Page(saved).text


def test_rows_are_added_before_those_with_the_greatest_ranks(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2147483647,bob\n")
    assert "from 1 to 1,000,000,000" in Page(review).text
    save(organizer, upload(organizer, draft, "rank,handle\n1,ann\n1000000000,bob\n"))
    said = {"handle": "eve", "status": "ranked", "place": "1"}
    organizer.post(reverse("organize:standing-add", args=[draft.pk]), said)
    assert list(draft.standings.order_by("place").values_list("place", flat=True)) == [1, 2, 3]


TWICE = "rank,handle\n1,ann b\n2,bob\n"


def test_the_same_file_is_saved_again_with_another_choice_of_player(organizer, draft):
    for handle in ("ann", "anna"):
        make_player(handle)
        save(
            organizer,
            decide(organizer, upload(organizer, draft, TWICE), handle_0="ann b", who_0="typed", typed_0=handle),
        )
        assert handles(draft) == [handle, "bob"]
    save(organizer, upload(organizer, draft, TWICE))
    assert handles(draft) == ["ann b", "bob"], "nothing was decided this time"


def test_the_same_file_is_saved_again_after_a_split(organizer, draft):
    merge = merge_players(make_player("ann").pk, make_player("ann b").pk, reason="one person")
    save(organizer, upload(organizer, draft, TWICE))
    assert handles(draft) == ["ann", "bob"]
    split_players(merge.pk, reason="two persons")
    save(organizer, upload(organizer, draft, TWICE))
    assert handles(draft) == ["ann b", "bob"]


def test_the_same_file_of_the_same_players_changes_nothing(organizer, draft):
    for _ in range(2):
        save(organizer, upload(organizer, draft, TWICE))
    assert AuditEntry.objects.filter(action="contest.standings").count() == 1


DOCUMENT = (
    '{"id": "r1", "name": "Summer Round", "end_time": "2025-06-01T18:00:00Z", "weight": 2, '
    '"standings": [["ann", 1, 3], ["bob", 2, 2]]}'
)


def test_another_file_with_the_same_rows_is_saved_as_well(organizer, draft):
    """Its review leads to the contest; times that the first file had as numbers become times."""
    save(organizer, upload(organizer, draft, "rank,handle,penalty\n1,ann,62\n2,bob,70\n"))
    draft.refresh_from_db()
    assert not draft.has_times
    review = upload(organizer, draft, "rank,handle,penalty\n1,ann,1:02\n2,bob,1:10\n")
    save(organizer, review)
    draft.refresh_from_db()
    assert draft.has_times
    for content in ("rank,handle,penalty\n1,ann,1:02\n2,bob,1:10\n\n", "rank;handle;penalty\n1;ann;1:02\n2;bob;1:10\n"):
        review = upload(organizer, draft, content)
        save(organizer, review)
        address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
        assert "This file is no longer stored" not in Page(organizer.get(address, follow=True)).text


def test_differences_between_file_and_draft_are_shown_and_can_be_applied(organizer, draft):
    review = upload(organizer, draft, DOCUMENT, "round.json")
    assert [what for what, _, _ in review.context["differences"]] == ["name", "end", "weight"]
    assert not review.context["review"].columns.columns
    review = press(organizer, review, "apply-description")
    draft.refresh_from_db()
    assert (draft.name, draft.weight, draft.ends_at.isoformat()) == ("Summer Round", 2, "2025-06-01T18:00:00+00:00")
    assert review.context["differences"] == []
    assert not review.context["contest_changed"], "the organizer made the change"
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


def test_applying_the_differences_is_refused_after_a_concurrent_change(organizer, draft):
    review = upload(organizer, draft, DOCUMENT, "round.json")
    Contest.objects.filter(pk=draft.pk).update(version=5)
    answer = press(organizer, review, "apply-description")
    assert "was changed from the command line" in Page(answer).text
    draft.refresh_from_db()
    assert draft.name != "Summer Round"


def test_outdated_projected_ratings_are_marked_and_computed_again(organizer, series, draft):
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=-5)
    rate(series)
    review = upload(organizer, draft, "rank,handle\n1,bob\n2,ann\n")
    assert not review.context["ratings_moved_on"]
    first = review.context["table"].rows[0].preview
    make_contest(series, standings=[("bob", 1), ("ann", 2)], day=-4)
    rate(series)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    review = organizer.get(address)
    assert review.context["ratings_moved_on"]
    assert review.context["table"].rows[0].preview == first, "showing the review again computes nothing"
    review = press(organizer, review, "now")
    assert not review.context["ratings_moved_on"]
    assert review.context["table"].rows[0].preview.before > first.before


def test_a_staged_file_belongs_to_its_contest(organizer, ida, series, draft):
    token = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n").context["staged"].token
    for other in (make_contest(series, finalized=False), make_contest(make_series(organizer=ida), finalized=False)):
        answer = organizer.get(reverse("organize:review", args=[other.pk, token]), follow=True)
        assert "This file is no longer stored" in Page(answer).text
        organizer.post(reverse("organize:review-save", args=[other.pk, token]), {"version": 0})
        assert not other.standings.exists()
    assert find_staged(token) is not None


def test_organizers_of_other_series_get_nothing_of_it(organizer, client, series, draft):
    token = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n").context["staged"].token
    eve = client.__class__()
    eve.force_login(make_user("eve"))
    own = make_contest(make_series(organizer=make_user("other")), finalized=False)
    for name in ("review", "review-remarks", "review-progress"):
        assert eve.get(reverse(f"organize:{name}", args=[draft.pk, token])).status_code == 403
        assert eve.get(reverse(f"organize:{name}", args=[own.pk, token])).status_code == 403
    for name in ("read", "decide-people", "apply-description", "now", "save", "discard"):
        assert eve.post(reverse(f"organize:review-{name}", args=[draft.pk, token])).status_code == 403
        assert organizer.get(reverse(f"organize:review-{name}", args=[draft.pk, token])).status_code == 405
    assert find_staged(token) is not None
    assert not draft.standings.exists()


@pytest.mark.parametrize("token", ["x", "0" * 31, "A" * 32, "staging", "0" * 4000])
def test_invalid_tokens_answer_404(organizer, draft, token):
    assert organizer.get(reverse("organize:review", args=[draft.pk, token])).status_code == 404


FIRST_PAGE, LAST_PAGE = 25, 10  # the number of people on these pages, out of sixty


@pytest.mark.parametrize(
    ("query", "shown"),
    [("people=0", LAST_PAGE), ("people=x", FIRST_PAGE), (f"people={10**30}", LAST_PAGE), ("people=-1", LAST_PAGE),
     ("people=%00", FIRST_PAGE)],
)  # fmt: skip
def test_pages_of_handles_out_of_range_show_an_existing_one(organizer, draft, query, shown):
    make_player("ann")
    rows = "".join(f"{i},p{i}\n" for i in range(1, 61))
    review = upload(organizer, draft, "rank,handle\n" + rows)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    page = organizer.get(f"{address}?{query}")
    assert page.status_code == 200
    assert page.content.count(b' value="new"') == shown


def test_handles_on_later_pages_can_be_decided(organizer, draft):
    make_player("ann")
    rows = "".join(f"{i},p{i}\n" for i in range(1, 61))
    review = upload(organizer, draft, "rank,handle\n" + rows)
    review = press(organizer, review, "decide-people", page=3, handle_0="p55", who_0="typed", typed_0="ann")
    assert review.request["QUERY_STRING"] == "people=3"
    save(organizer, review)
    assert handles(draft)[54] == "ann"


SIZES = pytest.mark.parametrize("size", [2, 200])


@SIZES
def test_showing_a_review_takes_fourteen_queries(organizer, series, draft, django_assert_num_queries, size):
    make_contest(series, players=size, day=-9)
    rate(series)
    half = "".join(f"{i + 1},{'q' if i % 2 else 'p'}{i}\n" for i in range(size))
    review = upload(organizer, draft, "rank,handle\n" + half)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    # session, user, contest with series, right to it; run, scheme; the staged file, its choices, request
    # to save, review and progress; the newest player; community, whether it has players
    with django_assert_num_queries(14):
        page = organizer.get(address)
    assert len(page.context["table"].rows) == size
    assert page.context["review"].unmatched_count == size // 2


@SIZES
def test_reviewing_and_saving_take_as_many_queries_for_many_rows_as_for_few(organizer, series, draft, size, request):
    make_contest(series, players=size, day=-9)
    rate(series)
    half = "".join(f"{i + 1},{'q' if i % 2 else 'p'}{i}\n" for i in range(size))
    with CaptureQueriesContext(connection) as reviewing:
        review = upload(organizer, draft, "rank,handle\n" + half)
    with CaptureQueriesContext(connection) as saving:
        save(organizer, review)
    assert handles(draft)[:2] == ["p0", "q1"]
    seen = request.config.stash.setdefault(_COUNTED, set())
    seen.add((len(reviewing), len(saving)))
    assert len(seen) == 1, seen


_COUNTED = pytest.StashKey[set[tuple[int, int]]]()
