"""The page that previews and confirms a proposed change."""

from __future__ import annotations

import random
import re
import time
from datetime import timedelta

import pytest
from django.core import signing
from django.urls import reverse

from contests.changes.base import propose, token_of
from contests.changes.of_contests import FinalizeContest
from contests.changes.of_players import MergePlayers
from contests.changes.of_standings import CorrectStandings
from contests.errors import ContestError
from contests.models import AuditEntry, Contest, Membership, Player
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.series import describe_series
from ratings.models import Rating, StaleMark
from ratings.publishing.scheme_changes import ChooseScheme
from ratings.publishing.schemes import choose_scheme
from tests.factories import FIRST_DAY, make_contest, make_player, make_series, make_user, rate, roll_back
from tests.pages import Page
from tests.web.organize.forms import CONTEST, confirm, finalize

pytestmark = pytest.mark.django_db


def address_of(change) -> str:
    return f"{reverse('organize:change')}?change={token_of(change)}"


def disqualification(contest: Contest, handle: str = "ann") -> CorrectStandings:
    row = contest.standings.get(player__handle=handle)
    said = {row.pk: Correction("disqualified", row.place, True, row.score)}
    return CorrectStandings.of(contest, said, version=contest.version, reason="robot")


def test_the_page_previews_the_change_and_changes_nothing(organizer, contest):
    page = organizer.get(address_of(disqualification(contest)))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Disqualify ann in Contest" in text
    assert "No longer rated" not in text  # ann has another contest
    assert "Contests rated" in text
    assert "Projected leaderboard" in text
    assert contest.standings.get(player__handle="ann").status == "ranked"
    assert not StaleMark.objects.exists()


def test_players_are_shown_with_real_names_flags_and_handles(organizer, contest):
    Player.objects.filter(handle="ann").update(name="Anna Stein", country="CH")
    page = organizer.get(address_of(disqualification(contest, "bob")))
    cells = [cell for table in Page(page).tables for row in table for cell in row if "Anna Stein" in cell]
    assert cells
    assert all("ann" in cell.split() for cell in cells)
    assert 'alt="Switzerland"' in page.content.decode()


def test_several_rows_are_disqualified_at_once_by_one_replay(organizer, series, contest):
    rows = contest.standings.filter(player__handle__in=["ann", "bob"])
    said = {"rows": [row.pk for row in rows], "status": "disqualified", "reason": "one copied from the other"}
    answer = organizer.post(reverse("organize:correct-selected", args=[contest.pk]), said)
    confirm(organizer, answer)
    assert set(contest.standings.filter(status="disqualified").values_list("player__handle", flat=True)) == {
        "ann", "bob",
    }  # fmt: skip
    assert series.stale_marks.count() == 1
    assert AuditEntry.objects.filter(action="standing.correct", reason="one copied from the other").count() == 2


def test_a_missing_participant_is_added_and_removed_again(organizer, series, contest):
    address = reverse("organize:standing-add", args=[contest.pk])
    said = {"handle": "latecomer", "status": "ranked", "place": "2", "reason": "a lost sheet"}
    proposal = organizer.post(address, said)
    effect = organizer.get(proposal["Location"])
    assert effect.context["preview"].content["series"][0]["players_new"] == 1
    assert "latecomer" in effect.content.decode()
    confirm(organizer, proposal)
    ranks = dict(contest.standings.values_list("player__handle", "rank"))
    assert ranks == {"ann": 1, "latecomer": 2, "bob": 3, "eve": 4}
    row = contest.standings.get(player__handle="latecomer")
    address = reverse("organize:standing-remove", args=[row.pk])
    assert organizer.get(address).status_code == 200
    assert organizer.post(address, {"reason": ""}).status_code == 422
    confirm(organizer, organizer.post(address, {"reason": "was in another contest"}))
    assert set(contest.standings.values_list("player__handle", flat=True)) == {"ann", "bob", "eve"}
    assert series.stale_marks.count() == 2


def test_a_result_is_moved_to_its_player_after_a_preview(organizer, series, contest):
    row = contest.standings.get(player__handle="bob")
    assert 'reassign/"' in organizer.get(reverse("organize:correct", args=[row.pk])).content.decode()
    address = reverse("organize:standing-reassign", args=[row.pk])
    assert organizer.get(address).status_code == 200
    assert organizer.post(address, {"handle": "zed", "reason": ""}).status_code == 422
    assert "is already in" in Page(organizer.post(address, {"handle": "ann", "reason": "a namesake"}, follow=True)).text
    proposal = organizer.post(address, {"handle": "zed", "reason": "a namesake"})
    assert "Move the result of bob in" in Page(organizer.get(proposal["Location"])).text
    confirm(organizer, proposal)
    assert dict(contest.standings.values_list("player__handle", "rank")) == {"ann": 1, "zed": 2, "eve": 3}
    assert series.stale_marks.count() == 1


@pytest.mark.parametrize("mapping", ["fermi", "offset"])
def test_a_preview_says_that_a_scale_which_follows_the_players_moves(organizer, series, contest, mapping):
    scheme = series.schemes.order_by("-version")[0]
    display = {"mapping": mapping} if mapping == "fermi" else scheme.display
    choose_scheme(series.pk, system=scheme.system, parameters=scheme.parameters, display=display, reason="a scale")
    rate(series)
    row = contest.standings.get(player__handle="bob")
    proposal = organizer.post(reverse("organize:standing-remove", args=[row.pk]), {"reason": "never came"})
    text = Page(organizer.get(proposal["Location"] + "&here=1")).text
    assert ("Each run recomputes the displayed scale of this series" in text) == (mapping == "fermi")


@pytest.mark.parametrize("mapping", ["fermi", "offset"])
def test_a_change_of_the_display_is_told_by_the_new_one(organizer, series, contest, mapping):
    scheme = series.schemes.order_by("-version")[0]
    display = {"mapping": "fermi"} if mapping == "offset" else scheme.display
    choose_scheme(series.pk, system=scheme.system, parameters=scheme.parameters, display=display, reason="a scale")
    rate(series)
    now = series.schemes.order_by("-version")[0]
    proposed = ChooseScheme(series.pk, now.version, "elo", {}, {"mapping": mapping}, reason="simpler")
    text = Page(organizer.get(address_of(proposed) + "&here=1")).text
    assert ("Each run recomputes the displayed scale of this series" in text) == (mapping == "fermi")


def test_a_preview_says_that_it_ends_a_roll_back(organizer, series, contest):
    row = contest.standings.get(player__handle="bob")
    correct_standing(row.pk, correction=Correction.of(row, status="disqualified"), reason="a mistake")
    rate(series)
    words = "Visitors see the ratings of run 1 now"
    proposal = organizer.post(reverse("organize:standing-remove", args=[row.pk]), {"reason": "never came"})
    assert words not in Page(organizer.get(proposal["Location"] + "&here=1")).text
    roll_back(series.pk, 1, reason="a mistake")
    proposal = organizer.post(reverse("organize:standing-remove", args=[row.pk]), {"reason": "never came"})
    assert words in Page(organizer.get(proposal["Location"] + "&here=1")).text


def test_a_name_like_a_known_one_is_asked_about_before_a_result_moves(organizer, series, contest):
    make_contest(series, standings=[("alexandrina", 1), ("zoe", 2)])
    address = reverse("organize:standing-reassign", args=[contest.standings.get(player__handle="bob").pk])
    asked = organizer.post(address, {"handle": "alexandrinna", "reason": "a namesake"})
    assert (asked.status_code, "alexandrina" in Page(asked).text) == (200, True)
    said = {"handle": "alexandrinna", "asked": "alexandrinna", "reason": "a namesake"}
    chosen = organizer.post(address, {**said, "use_handle": "alexandrina"}).context["form"]
    assert [chosen[name].value() for name in ("handle", "reason")] == ["alexandrina", "a namesake"]
    assert not contest.standings.filter(player__handle="alexandrina").exists(), "choosing a name moves nothing"
    confirm(organizer, organizer.post(address, {**said, "handle": "alexandrina"}))
    assert contest.standings.filter(player__handle="alexandrina").exists()


def test_a_draft_gains_and_loses_rows_without_a_preview(organizer, series):
    draft = make_contest(series, standings=[("ann", 1, 9.0), ("bob", 2, 8.0)], finalized=False)
    said = {"handle": "eve", "status": "ranked", "score": "8.5", "reason": ""}
    organizer.post(reverse("organize:standing-add", args=[draft.pk]), said)
    assert dict(draft.standings.values_list("player__handle", "rank")) == {"ann": 1, "eve": 2, "bob": 3}
    row = draft.standings.get(player__handle="ann")
    organizer.post(reverse("organize:standing-remove", args=[row.pk]), {"reason": ""})
    assert dict(draft.standings.values_list("player__handle", "rank")) == {"eve": 1, "bob": 2}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"rows": [], "status": "disqualified", "reason": "x"}, "Select at least one row"),
        ({"rows": ["zero"], "status": "disqualified", "reason": "x"}, "A selected row no longer exists"),
        ({"rows": ["1"], "status": "banished", "reason": "x"}, "banished"),
        ({"rows": ["1"], "status": "disqualified", "reason": ""}, "Enter a reason."),
    ],
)
def test_a_wrong_selection_has_an_error_and_changes_nothing(organizer, contest, said, words):
    said = said | {"rows": [contest.standings.first().pk if row == "1" else row for row in said["rows"]]}
    page = organizer.post(reverse("organize:correct-selected", args=[contest.pk]), said)
    assert page.status_code == 422
    assert words in page.content.decode()
    assert not contest.standings.exclude(status="ranked").exists()


def test_the_form_for_several_rows_keeps_the_input_after_an_error(organizer, contest):
    action, row = reverse("organize:correct-selected", args=[contest.pk]), contest.standings.last().pk
    html = organizer.post(action, {"rows": [row], "status": "unofficial", "reason": ""}).content.decode()
    assert re.findall(r'name="rows" value="(\d+)" checked', html) == [str(row)]
    assert re.search(r'<option value="unofficial" selected', html)
    # Links to other pages of rows, and the choice of a language, lead from this address to the contest.
    assert organizer.get(f"{action}?page=2&q=a")["Location"] == f"/organize/contests/{contest.pk}/?page=2&q=a"
    html = organizer.post(action, {"status": "ranked", "reason": "appeal upheld"}).content.decode()
    assert re.search(r'name="reason" type="text" value="appeal upheld"', html)
    assert re.search(r'<option value="ranked" selected', html)


def test_rows_of_another_contest_are_not_touched(organizer, contest):
    other = make_contest(standings=[("zoe", 1), ("yan", 2)])
    said = {"rows": [other.standings.first().pk], "status": "disqualified", "reason": "x"}
    organizer.post(reverse("organize:correct-selected", args=[contest.pk]), said, follow=True)
    assert not other.standings.exclude(status="ranked").exists()


def test_a_change_too_long_for_an_address_is_refused_with_a_message(organizer, series):
    order = random.Random(3)
    standings = [(f"p{i}", i + 1) for i in range(100)]
    contest = make_contest(series, standings=standings)
    said = {"rows": list(contest.standings.values_list("pk", flat=True)), "status": "unofficial"}
    address = reverse("organize:correct-selected", args=[contest.pk])
    answer = organizer.post(address, said | {"reason": "a false start"})
    assert len(answer["Location"]) < 4000
    reason = "".join(chr(order.randrange(0x4E00, 0x9FFF)) for _ in range(500))
    rows = {row.pk: Correction("unofficial", row.place, True, order.random()) for row in contest.standings.all()}
    with pytest.raises(ContestError, match="too large"):
        propose(CorrectStandings.of(contest, rows, version=contest.version, reason=reason * 3))


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "é\0", "x" * 10_000])
def test_a_damaged_address_is_explained(organizer, token):
    page = organizer.get(reverse("organize:change"), {"change": token})
    assert page.status_code == 409
    assert "Fill in the form again" in page.content.decode()


def test_signed_nonsense_is_explained_too(organizer):
    for content in (["no.such.kind", {}], ["contest.delete", {"who": 1}], ["x"], 5):
        token = signing.dumps(content, salt="podium.change")
        page = organizer.get(reverse("organize:change"), {"change": token})
        assert page.status_code == 409, content


def test_an_expired_proposal_is_refused(organizer, contest, monkeypatch):
    address = address_of(disqualification(contest))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 90_000)
    organizer.force_login(contest.series.organizers.get())
    assert "more than a day old" in organizer.get(address).content.decode()


def test_no_one_else_can_see_a_proposal_or_confirm_it(client, contest):
    address = address_of(disqualification(contest))
    assert client.get(address).status_code == 302
    client.force_login(make_user("stranger"))
    assert client.get(address).status_code == 403
    assert client.post(address).status_code == 403
    assert contest.standings.get(player__handle="ann").status == "ranked"


def test_pressing_the_button_twice_makes_the_change_once_and_says_so(organizer, contest):
    address = address_of(disqualification(contest))
    first, second = organizer.post(address), organizer.post(address)
    assert (first.status_code, second.status_code) == (302, 302)
    assert AuditEntry.objects.filter(action="standing.correct").count() == 1


def test_a_new_name_does_not_move_a_contest_by_a_fraction_of_a_second(organizer, series):
    contest = make_contest(series, players=3, ends_at=FIRST_DAY.replace(microsecond=500_000))
    page = organizer.get(reverse("organize:contest-edit", args=[contest.pk]))
    shown = {name: page.context["form"][name].value() for name in ("ends_at", "weight", "version")}
    said = CONTEST | {"ends_at": f"{shown['ends_at']:%Y-%m-%dT%H:%M:%S}", "reason": "a slip"}
    answer = organizer.post(reverse("organize:contest-edit", args=[contest.pk]), said)
    assert answer["Location"] == reverse("organize:contest", args=[contest.pk])


def test_players_with_results_that_count_elsewhere_are_not_merged(organizer, series):
    other = make_series("other", is_public=False, organizer=make_user("bo"))
    for handle in ("ann", "annie"):
        make_contest(series, standings=[(handle, 1), ("x", 2)])
    elsewhere = make_contest(other, standings=[("annie", 1), ("z", 2)])
    change = MergePlayers(make_player("ann").pk, make_player("annie").pk, reason="x")
    assert organizer.post(address_of(change)).status_code == 403
    assert elsewhere.standings.filter(player__handle="annie").exists()
    delete_contest(elsewhere.pk, reason="oops")
    assert organizer.post(address_of(change)).status_code == 302, "the results elsewhere no longer count"


def test_the_second_of_two_organizers_to_confirm_is_warned(organizer, contest):
    first, second = disqualification(contest, "ann"), disqualification(contest, "bob")
    organizer.post(address_of(first))
    page = organizer.post(address_of(second))
    assert page.status_code == 409
    assert "was changed by ida" in page.content.decode()
    assert set(contest.standings.filter(status="disqualified").values_list("player__handle", flat=True)) == {"ann"}


def test_the_second_of_two_organizers_to_edit_a_draft_keeps_the_input(organizer, series):
    draft = make_contest(series, finalized=False)
    address = reverse("organize:contest-edit", args=[draft.pk])
    organizer.post(address, CONTEST | {"version": "0", "name": "First"})
    page = organizer.post(address, CONTEST | {"version": "0", "name": "Second"})
    assert page.status_code == 422
    assert "was changed by ida" in page.content.decode()
    assert 'value="Second"' in page.content.decode()
    draft.refresh_from_db()
    assert draft.name == "First"


def test_a_finalized_contest_is_edited_with_a_reason_and_rated_again(organizer, series, contest):
    address = reverse("organize:contest-edit", args=[contest.pk])
    said = CONTEST | {"ends_at": f"{contest.ends_at:%Y-%m-%dT%H:%M}", "weight": "2"}
    assert "Enter a reason" in organizer.post(address, said).content.decode()
    confirm(organizer, organizer.post(address, said | {"reason": "it was the final"}))
    contest.refresh_from_db()
    assert (contest.weight, contest.name, series.stale_marks.count()) == (2.0, "Spring Round", 1)
    assert contest.amended_at is not None


def test_a_finalized_contest_moved_into_the_future_has_a_warning(organizer, contest):
    address = reverse("organize:contest-edit", args=[contest.pk])
    said = CONTEST | {"reason": "typo", "ends_at": f"{contest.ends_at + timedelta(days=1):%Y-%m-%dT%H:%M}"}
    past = organizer.get(organizer.post(address, said)["Location"])
    assert "in the future" not in Page(past).text
    future = organizer.get(organizer.post(address, said | {"ends_at": "2099-05-01T18:00"})["Location"])
    assert "The new end is in the future: 1 May 2099 18:00 UTC. Check the date" in Page(future).text


def test_a_new_name_of_a_finalized_contest_rates_nothing_again(organizer, series, contest):
    said = CONTEST | {"ends_at": f"{contest.ends_at:%Y-%m-%dT%H:%M}", "reason": "a slip"}
    organizer.post(reverse("organize:contest-edit", args=[contest.pk]), said)
    contest.refresh_from_db()
    assert contest.name == "Spring Round"
    assert not series.stale_marks.exists()


def test_a_deleted_contest_can_be_restored(organizer, series, contest):
    before = sorted(Rating.objects.values_list("player__handle", "mu"))
    said = {"reason": "entered twice"}
    confirm(organizer, organizer.post(reverse("organize:contest-delete", args=[contest.pk]), said))
    rate(series)
    assert sorted(Rating.objects.values_list("player__handle", "mu")) != before
    page = organizer.get(reverse("organize:series", args=[series])).content.decode()
    address = reverse("organize:contest-restore", args=[contest.pk])
    assert address in page
    moved = Page(organizer.get(reverse("organize:contest", args=[contest.pk]), follow=True))
    assert f"“{contest.name}” has been deleted. You can restore it" in moved.text
    assert organizer.post(address, {"reason": " "}).status_code == 422
    confirm(organizer, organizer.post(address, {"reason": "it was right after all"}))
    rate(series)
    assert sorted(Rating.objects.values_list("player__handle", "mu")) == before


def test_finalizing_an_unrated_contest_says_that_no_one_is_rated(client, ida):
    rows = [("ann", 1), ("bob", 2), ("eve", 3, None, "disqualified")]
    draft = make_contest(make_series(organizer=ida), standings=rows, finalized=False, is_rated=False)
    client.force_login(ida)
    text = Page(client.get(address_of(FinalizeContest(draft.pk, draft.version)))).text
    assert "The contest is unrated: 2 ranked participants will be listed but not rated." in text
    assert "1 disqualified participant will be listed but not rated." in text
    assert "will be rated" not in text


def test_a_series_without_a_second_person_says_who_is_missing(client, ida):
    series = make_series("harbour-cup", organizer=ida, needs_approval=True)
    Membership.objects.exclude(user=ida).delete()
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    client.force_login(ida)
    missing = "No one else organizes this series, so no one can confirm."
    assert missing in Page(client.get(address_of(FinalizeContest(draft.pk, draft.version)))).text
    finalize(client, draft)
    page = reverse("organize:contest", args=[draft.pk])
    assert missing in Page(client.get(page)).text
    staff = make_user("sam", is_superuser=True)
    client.force_login(staff)
    assert missing not in Page(client.get(page)).text, "site administrators can confirm"
    client.force_login(ida)
    series.organizers.add(make_user("ben"))
    assert missing not in Page(client.get(page)).text


def test_a_second_person_finalizes_if_the_series_requires_it(client, ida):
    ben = make_user("ben")
    series = make_series("harbour-cup", organizer=ida, needs_approval=True)
    series.organizers.add(ben)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    client.force_login(ida)
    page = client.get(address_of(FinalizeContest(draft.pk, draft.version))).content.decode()
    assert "Request finalization" in page
    assert "Newly rated" in page  # the effect is that of finalizing
    finalize(client, draft)
    draft.refresh_from_db()
    assert (draft.is_draft, draft.asked_by) == (True, ida)
    own = client.get(reverse("organize:contest", args=[draft.pk])).content.decode()
    assert f'<a class="button" href="{reverse("organize:finalize", args=[draft.pk])}"' in " ".join(own.split())
    again = client.post(reverse("organize:finalize", args=[draft.pk]), follow=True)
    assert "You have already asked for" in again.content.decode()
    assert "Request finalization" not in Page(again).text
    refused = client.post(again.redirect_chain[-1][0])
    assert "You have already asked for" in refused.content.decode()
    home, drafts = reverse("organize:home"), reverse("organize:series", args=[series])
    assert not any("waiting for your confirmation" in Page(client.get(page)).text for page in (home, drafts))
    assert "waiting for another organizer" in Page(client.get(drafts)).text
    client.force_login(ben)
    assert "1 waiting for your confirmation" in Page(client.get(home)).text
    assert "waiting for your confirmation" in Page(client.get(drafts)).text
    assert "<bdi>ida</bdi> requested" in client.get(reverse("organize:contest", args=[draft.pk])).content.decode()
    finalize(client, draft)
    draft.refresh_from_db()
    assert draft.is_finalized


def test_turning_the_confirmation_off_withdraws_requests_to_finalize(client, ida):
    series = make_series("harbour-cup", organizer=ida, needs_approval=True)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    client.force_login(ida)
    finalize(client, draft)
    pages = reverse("organize:contest", args=[draft.pk]), reverse("organize:series", args=[series])
    assert all("another organizer" in Page(client.get(page)).text.lower() for page in pages)
    describe_series(series.pk, name=series.name, description="", is_public=True, needs_approval=False, actor=ida)
    assert not any("another organizer" in Page(client.get(page)).text.lower() for page in pages)
    finalize(client, draft)
    draft.refresh_from_db()
    assert draft.is_finalized


def test_changing_a_draft_withdraws_the_request_to_finalize(client, ida):
    series = make_series("harbour-cup", organizer=ida, needs_approval=True)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    client.force_login(ida)
    finalize(client, draft)
    client.post(reverse("organize:contest-edit", args=[draft.pk]), CONTEST)
    draft.refresh_from_db()
    assert (draft.asked_by, draft.asked_at) == (None, None)


def test_a_form_explains_why_a_change_is_not_possible(organizer, contest):
    row = contest.standings.get(player__handle="ann")
    said = {"status": "ranked", "place": "99", "reason": "recount"}
    page = organizer.post(reverse("organize:correct", args=[row.pk]), said)
    assert page.status_code == 422
    assert "Place 99 is out of range" in page.content.decode()


def test_a_correction_that_changes_nothing_is_refused_in_the_form(organizer, contest):
    row = contest.standings.get(player__handle="ann")
    page = organizer.get(reverse("organize:correct", args=[row.pk]))
    fields = {field.html_name: field.value() for field in page.context["form"]}
    said = {name: value for name, value in fields.items() if value not in (None, False)} | {"reason": "nothing"}
    page = organizer.post(reverse("organize:correct", args=[row.pk]), said)
    assert page.status_code == 422
    assert "Nothing changed: the rows already have these values." in page.content.decode()
    assert not AuditEntry.objects.filter(action="standing.correct").exists()


def test_proposing_a_change_that_would_be_refused_raises_the_error(contest):
    change = disqualification(contest)
    Contest.objects.filter(pk=contest.pk).update(version=7)
    with pytest.raises(Exception, match="was changed from the command line"):
        propose(change)
