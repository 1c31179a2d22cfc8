"""Communities: roles, visibility, and what follows from them for series."""

from __future__ import annotations

from functools import partial

import pytest

from contests.errors import ContestError
from contests.models import AuditEntry, Community, Membership, Series
from contests.services.communities import create_community, describe_community, remove_member, set_role
from contests.services.series import create_series, describe_series
from tests.factories import make_community, make_series, make_user
from tests.processes import at_once


def visibility(series: Series) -> tuple[bool, bool]:
    series.refresh_from_db()
    return series.is_public, series.is_listed


def change(visibility: str) -> None:
    describe_community("main", name="Main", description="", visibility=visibility)


@pytest.mark.django_db
def test_a_series_is_as_visible_as_its_community_and_no_more():
    open_one, secret = make_series("open"), make_series("secret", is_public=False)
    assert (visibility(open_one), visibility(secret)) == ((True, True), (False, False))
    for name, expected in (("unlisted", (True, False)), ("private", (False, False)), ("public", (True, True))):
        change(name)
        assert (visibility(open_one), visibility(secret)) == (expected, (False, False)), name
        assert visibility(make_series(f"made-while-{name}")) == expected
    change("private")
    describe_series(secret.pk, name="Secret", description="", is_public=True)
    assert visibility(secret) == (False, False), "public for the members of a private community"


@pytest.mark.django_db(transaction=True)
def test_no_series_stays_public_while_its_community_becomes_private():
    for number in range(10):
        make_community()
        change("public")
        results = at_once(partial(create_series, f"cup-{number}", name="Cup"), partial(change, "private"))
        assert not [result for result in results if isinstance(result, Exception)], results
        assert not Series.objects.filter(is_public=True).exists()


@pytest.mark.django_db
def test_a_community_keeps_an_owner():
    ida, bo, boss = make_user("ida"), make_user("bo"), make_user("boss", is_staff=True)
    create_community("club", name="Club", actor=ida)
    with pytest.raises(ContestError, match="You are the last owner"):
        remove_member("club", ida.pk, actor=ida)
    with pytest.raises(ContestError, match="ida is the last owner"):
        set_role("club", ida, "viewer")
    set_role("club", bo, "owner", actor=ida)
    remove_member("club", ida.pk, actor=ida)
    remove_member("club", ida.pk, actor=ida)
    assert list(Membership.objects.values_list("user__username", "role")) == [("bo", "owner")]
    remove_member("club", bo.pk, actor=boss)
    actions = AuditEntry.objects.filter(community="club").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["community.create", "member.add", "member.remove", "member.remove"]


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["", "Club", "-club", "club-", "a--b", "klub/1", "käse", "x" * 41, "club\n"])
def test_a_short_name_that_does_not_fit_into_addresses_is_refused(slug):
    with pytest.raises(ContestError):
        create_community(slug, name="Club")


@pytest.mark.django_db
def test_a_short_name_can_be_taken_only_once():
    create_community("club", name="Club")
    with pytest.raises(ContestError, match="“club” is taken"):
        create_community("club", name="Another club")


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["club", "x" * 40, "y" * 28 + "-" + "z" * 11])
def test_a_taken_short_name_reveals_nothing_about_private_communities(slug):
    first, second = (create_community(slug, name="Club", visibility="private").pk for _ in range(2))
    assert first != second
    for made in (first, second):
        Community._meta.get_field("slug").clean(made, None)
        assert made.startswith(slug[:28])
        assert len(made) <= 40
    assert create_community(slug, name="Club").pk == slug


@pytest.mark.django_db
def test_a_series_needs_a_community_that_exists():
    with pytest.raises(ContestError, match="The community “gone” no longer exists"):
        create_series("cup", community="gone", name="Cup")
