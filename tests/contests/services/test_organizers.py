"""Organizers of a series: usernames, links that work once, and the audit entries of both."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth import get_user_model
from django.db import connections

from contests.errors import ContestError
from contests.models import AuditEntry, Invitation
from contests.services.communities import remove_member, set_role
from contests.services.organizers import (
    MOST_OPEN,
    NotOpen,
    accept_invitation,
    accept_with_new_account,
    add_organizer,
    find_invitation,
    invite,
    open_invitations,
    remove_organizer,
    withdraw_invitation,
)
from contests.tasks import sweep_task
from tests.factories import make_series, make_user

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"


@pytest.fixture
def ida():
    return make_user("ida")


@pytest.fixture
def cup(ida):
    return make_series("cup", organizer=ida)


def organizers(series):
    return sorted(series.organizers.values_list("username", flat=True))


def deeds():
    return list(AuditEntry.objects.about_contests().order_by("id").values_list("action", "actor__username"))


def reason_of(token):
    with pytest.raises(NotOpen) as refusal:
        find_invitation(token)
    return refusal.value.reason


def test_an_account_is_added_by_its_exact_name_once(cup, ida):
    make_user("Bo")
    for _ in range(2):
        add_organizer(cup.pk, " Bo ", actor=ida)
    assert organizers(cup) == ["Bo", "ida"]
    assert deeds() == [("organizer.add", "ida")]


@pytest.mark.parametrize("name", ["nobody", "bo", "Bo\0", "", "x" * 10_000])
def test_an_unknown_username_is_refused_with_a_message(cup, name):
    make_user("Bo")
    with pytest.raises(ContestError, match="There is no account with the username"):
        add_organizer(cup.pk, name)
    assert organizers(cup) == ["ida"]


def test_an_account_that_cannot_log_in_is_not_added(cup):
    make_user("bo", is_active=False)
    with pytest.raises(ContestError):
        add_organizer(cup.pk, "bo")


def test_the_last_organizer_stays_unless_the_staff_remove_them(cup, ida):
    with pytest.raises(ContestError, match="last organizer"):
        remove_organizer(cup.pk, ida.pk, actor=ida)
    assert organizers(cup) == ["ida"]
    remove_organizer(cup.pk, ida.pk, actor=make_user("boss", is_staff=True))
    assert organizers(cup) == []
    assert deeds() == [("organizer.remove", "boss")]


def test_removing_an_organizer_withdraws_their_links(cup, ida):
    bo = add_organizer(cup.pk, make_user("bo").username, actor=ida)
    _, of_bo = invite(cup.pk, note="a way back", actor=bo)
    _, of_ida = invite(cup.pk, actor=ida)
    remove_organizer(cup.pk, bo.pk, actor=ida)
    assert organizers(cup) == ["ida"]
    assert reason_of(of_bo) == "void"
    assert find_invitation(of_ida).series == cup


def test_removing_twice_removes_once(cup, ida):
    bo = add_organizer(cup.pk, make_user("bo").username, actor=ida)
    for _ in range(2):
        remove_organizer(cup.pk, bo.pk, actor=ida)
    assert [action for action, _ in deeds()] == ["organizer.add", "organizer.remove"]


def test_only_the_hash_of_a_link_is_stored(cup, ida):
    invitation, token = invite(cup.pk, note="Bo", actor=ida)
    assert len(token) >= 43, "256 bits, six in each character"
    stored = str(Invitation.objects.values().get()) + str(list(AuditEntry.objects.values()))
    assert token not in stored
    assert invitation.token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert invitation.expires_at - invitation.created_at <= timedelta(days=7)
    assert invite(cup.pk, actor=ida)[1] != token


def test_a_link_makes_an_organizer_once(cup, ida):
    _, token = invite(cup.pk, note="for Bo", actor=ida)
    bo, eve = make_user("bo"), make_user("eve")
    assert accept_invitation(token, user=bo) == cup
    with pytest.raises(NotOpen, match="already been accepted"):
        accept_invitation(token, user=eve)
    assert organizers(cup) == ["bo", "ida"]
    assert deeds() == [("organizer.invite", "ida"), ("organizer.accept", "bo")]
    used = Invitation.objects.get()
    assert used.accepted_by == bo
    assert used.accepted_at is not None


def test_an_organizer_does_not_use_up_a_link(cup, ida):
    _, token = invite(cup.pk, actor=ida)
    accept_invitation(token, user=ida)
    assert find_invitation(token).accepted_at is None


def test_links_that_cannot_be_accepted_say_why(cup, ida, django_user_model):
    _, used = invite(cup.pk, actor=ida)
    accept_invitation(used, user=make_user("bo"))
    withdrawn, gone = invite(cup.pk, actor=ida)
    withdraw_invitation(withdrawn.pk, actor=ida)
    old, late = invite(cup.pk, actor=ida)
    Invitation.objects.filter(pk=old.pk).update(expires_at=old.created_at)
    assert [reason_of(token) for token in (used, gone, late, "nonsense", "", "\udcff", used[:-1])] == [
        "used", "withdrawn", "expired", "unknown", "unknown", "unknown", "unknown",
    ]  # fmt: skip
    eve = make_user("eve")
    for token in (used, gone, late, "nonsense"):
        with pytest.raises(NotOpen):
            accept_invitation(token, user=eve)
        with pytest.raises(NotOpen):
            accept_with_new_account(token, username="new", password=PASSWORD)
    assert organizers(cup) == ["bo", "ida"]
    assert not django_user_model.objects.filter(username="new").exists()


def test_an_accepted_link_can_no_longer_be_withdrawn(cup, ida):
    invitation, token = invite(cup.pk, actor=ida)
    accept_invitation(token, user=make_user("bo"))
    assert withdraw_invitation(invitation.pk, actor=ida).withdrawn_at is None


def test_a_new_account_becomes_an_organizer_or_is_not_created(cup, ida):
    _, token = invite(cup.pk, actor=ida)
    with pytest.raises(ContestError, match="is taken"):
        accept_with_new_account(token, username="ida", password=PASSWORD)
    assert find_invitation(token).accepted_at is None
    series, user = accept_with_new_account(token, username="bo", password=PASSWORD)
    assert series == cup
    assert user.check_password(PASSWORD)
    assert not user.is_staff
    assert organizers(cup) == ["bo", "ida"]


def test_a_series_has_a_bounded_number_of_open_links(cup, ida):
    made = [invite(cup.pk, actor=ida)[0] for _ in range(MOST_OPEN)]
    with pytest.raises(ContestError, match="Withdraw those"):
        invite(cup.pk, actor=ida)
    withdraw_invitation(made[0].pk, actor=ida)
    invite(cup.pk, actor=ida)
    assert open_invitations(cup).count() == MOST_OPEN


def both_at_once(*deeds):
    """Call both functions at the same time in their own threads; return what each returned or raised."""
    barrier, outcomes = threading.Barrier(len(deeds)), [None] * len(deeds)

    def do(number, deed):
        barrier.wait()
        try:
            outcomes[number] = deed()
        except ContestError as error:
            outcomes[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=do, args=pair) for pair in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_concurrent_users_accepts_a_link(cup, ida):
    for turn in range(5):
        _, token = invite(cup.pk, actor=ida)
        people = [make_user(f"{name}{turn}") for name in ("bo", "eve")]
        outcomes = both_at_once(*(partial(accept_invitation, token, user=user) for user in people))
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NotOpen", "Series"]
        assert cup.organizers.filter(pk__in=[user.pk for user in people]).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_sign_ups_by_one_link_create_one_account(cup, ida):
    _, token = invite(cup.pk, actor=ida)
    outcomes = both_at_once(
        *(partial(accept_with_new_account, token, username=name, password=PASSWORD) for name in ("bo", "eve"))
    )
    assert sum(isinstance(outcome, NotOpen) for outcome in outcomes) == 1
    assert get_user_model().objects.count() == 2
    assert cup.organizers.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_organizers_who_remove_each_other_concurrently_leave_one(cup, ida):
    bo = add_organizer(cup.pk, make_user("bo").username)
    both_at_once(
        partial(remove_organizer, cup.pk, bo.pk, actor=ida),
        partial(remove_organizer, cup.pk, ida.pk, actor=bo),
    )
    assert cup.organizers.count() == 1


# An invitation works only as long as its author could create it


def removed(cup, ida):
    cup.organizers.add(make_user("bo"))
    cup.organizers.remove(ida)


def deactivated(cup, ida):
    get_user_model().objects.filter(pk=ida.pk).update(is_active=False)


def deleted(cup, ida):
    ida.delete()


@pytest.mark.parametrize("loses_rights", [removed, deactivated, deleted])
def test_an_invitation_ends_with_the_rights_of_its_author(cup, ida, loses_rights):
    stranger = make_user("eve")
    invitation, token = invite(cup.pk, actor=ida)
    assert find_invitation(token) == invitation
    assert list(open_invitations(cup)) == [invitation]
    loses_rights(cup, ida)
    assert list(open_invitations(cup)) == []
    with pytest.raises(NotOpen):
        accept_invitation(token, user=stranger)
    with pytest.raises(NotOpen):
        accept_with_new_account(token, username="mallory", password="quay-and-harbour-7")
    assert not cup.organizers.filter(pk=stranger.pk).exists()
    assert not get_user_model().objects.filter(username="mallory").exists()


def test_staff_invite_to_any_series_as_long_as_they_are_staff(cup):
    boss = make_user("boss", is_staff=True)
    _, token = invite(cup.pk, actor=boss)
    assert find_invitation(token).series == cup
    get_user_model().objects.filter(pk=boss.pk).update(is_staff=False)
    with pytest.raises(NotOpen, match="can no longer invite"):
        find_invitation(token)


# … and stays invalid if the author gets the rights back


def _removed(cup, ida):
    remove_organizer(cup.pk, ida.pk, actor=make_user("boss", is_staff=True))


def _left(cup, ida):
    add_organizer(cup.pk, make_user("bo").username)
    remove_organizer(cup.pk, ida.pk, actor=ida)


def _replaced(cup, ida):
    cup.organizers.set([make_user("bo")])


def _cleared(cup, ida):
    cup.organizers.clear()


def _resigned(cup, ida):
    ida.organized_series.remove(cup)


def _switched_off(cup, ida):
    ida.is_active = False
    ida.save(update_fields=["is_active"])


def _quietly_switched_off(cup, ida):
    """Deactivate the account without sending a signal, as a script might."""
    get_user_model().objects.filter(pk=ida.pk).update(is_active=False)
    sweep_task()


@pytest.mark.parametrize(
    "lose", [_removed, _left, _replaced, _cleared, _resigned, _switched_off, _quietly_switched_off]
)
def test_an_invitation_stays_invalid_when_its_author_gets_the_right_back(cup, ida, lose):
    _, token = invite(cup.pk, note="for Bo", actor=ida)
    other = make_series("other", organizer=ida)
    lose(cup, ida)
    assert reason_of(token) == "void"
    get_user_model().objects.filter(pk=ida.pk).update(is_active=True)
    cup.organizers.add(ida)
    assert reason_of(token) == "withdrawn"
    assert list(open_invitations(cup)) == []
    with pytest.raises(NotOpen):
        accept_invitation(token, user=make_user("eve"))
    ended = AuditEntry.objects.get(action__in=["organizer.withdraw", "organizer.void"])
    assert (ended.series, ended.before) == (cup, {"note": "for Bo"})
    _, fresh = invite(other.pk, actor=ida)
    assert find_invitation(fresh).series == other


def test_the_invitations_of_staff_end_with_their_rights(cup):
    boss = make_user("boss", is_staff=True)
    _, token = invite(cup.pk, actor=boss)
    boss.is_staff = False
    boss.save()
    boss.is_staff = True
    boss.save()
    assert reason_of(token) == "withdrawn"
    assert AuditEntry.objects.get(action="organizer.void").who == "Podium"


def test_only_the_invitations_to_that_series_end(cup, ida):
    other = make_series("other", organizer=ida)
    _, token = invite(other.pk, actor=ida)
    cup.organizers.remove(ida)
    ida.first_name = "Ida"
    ida.save()
    assert find_invitation(token).series == other


def test_a_deleted_author_leaves_withdrawn_invitations_and_entries_that_say_so(cup, ida):
    _, token = invite(cup.pk, note="for Bo", actor=ida)
    ida.delete()
    assert reason_of(token) == "withdrawn"
    assert [entry.action for entry in AuditEntry.objects.filter(series=cup).order_by("id")] == [
        "organizer.invite", "organizer.void",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ["owner", "organizer"])
@pytest.mark.parametrize("is_removed", [True, False])
def test_members_of_the_community_invite_as_long_as_they_have_the_role(cup, role, is_removed):
    bo, community = make_user("bo"), cup.community_id
    set_role(community, make_user("owner"), "owner")
    set_role(community, bo, role)
    _, token = invite(cup.pk, actor=bo)
    assert find_invitation(token).series == cup
    if is_removed:
        remove_member(community, bo.pk)
    else:
        set_role(community, bo, "viewer")
    assert reason_of(token) == "void"
    set_role(community, bo, role)
    assert reason_of(token) == "withdrawn"
