"""The members of a community: their roles, and invitations to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.confirming import reauthenticated
from contests.addresses import whole_address
from contests.errors import ContestError
from contests.models import Community, Membership, Role
from contests.plain_text import plain_text
from contests.services.communities import refuse_last_owner, remove_member, set_role
from contests.services.organizers import LONGEST_NOTE, invite_member, open_invitations
from web.shared.access import actor, organizer_page, own_community
from web.shared.params import page_of
from web.shared.unsent import unsent_among, unsent_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse

    from contests.models import Invitation

PAGE_SIZE = 100
ROLES = [
    (Role.OWNER, gettext_lazy("Owner")),
    (Role.ORGANIZER, gettext_lazy("Organizer")),
    (Role.VIEWER, gettext_lazy("Viewer")),
]
#: The message after a member was given each role.
_ROLE_GIVEN = {
    Role.OWNER: gettext_lazy("%(name)s is now an owner."),
    Role.ORGANIZER: gettext_lazy("%(name)s is now an organizer."),
    Role.VIEWER: gettext_lazy("%(name)s is now a viewer."),
}


class RoleForm(forms.Form):
    """The role of a member."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES)


class MemberInvitationForm(forms.Form):
    """The role that a link gives, and a note on the person whom it is for."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES, initial=Role.ORGANIZER)
    note = forms.CharField(
        label=gettext_lazy("Recipient"),
        max_length=LONGEST_NOTE,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Helps you tell your links apart, for example “Bo, timekeeper”."),
    )


@organizer_page
def page(request: HttpRequest, community: str) -> HttpResponse:
    """List the members of a community; owners also see open invitations and forms to change roles."""
    return _page(request, own_community(request, community))


@require_POST
@organizer_page
@reauthenticated
def change_role(request: HttpRequest, community: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    shown = own_community(request, community, role=Role.OWNER)
    member = get_object_or_404(shown.memberships.select_related("user"), user=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Choose one of the roles."))
        return redirect("organize:members", shown.pk)
    try:
        set_role(shown.pk, member.user, form.cleaned_data["role"], actor=actor(request))
    except ContestError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _ROLE_GIVEN[form.cleaned_data["role"]] % {"name": member.user.get_username()})
        _mention_tokens(request, shown, member)
    still = Community.objects.organized_by(request.user).filter(pk=shown.pk).exists()
    return redirect("organize:members", shown.pk) if still else redirect("organize:home")


@organizer_page
@reauthenticated
def remove(request: HttpRequest, community: str, pk: int) -> HttpResponse:
    """Ask for confirmation to remove a member; remove on POST."""
    shown = own_community(request, community, role=Role.OWNER)
    return _remove(request, shown, get_object_or_404(shown.memberships.select_related("user"), user=pk))


@organizer_page
@reauthenticated
def leave(request: HttpRequest, community: str) -> HttpResponse:
    """Let a member give up their role."""
    members = Membership.objects.select_related("user", "community").filter(user=request.user.pk)
    member = members.filter(community=community).first()
    if member is None:
        raise Http404
    return _remove(request, member.community, member)


@require_http_methods(["GET", "HEAD", "POST"])
@organizer_page
@reauthenticated
def create_invitation(request: HttpRequest, community: str) -> HttpResponse:
    """Create a link and show it in this response only, because Podium keeps only its hash; on GET, show the page."""
    shown = own_community(request, community, role=Role.OWNER)
    if request.method != "POST":
        return redirect("organize:members", shown.pk)
    form = MemberInvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, form=form)
    try:
        invitation, token = invite_member(shown.pk, **form.cleaned_data, actor=actor(request))
    except ContestError as error:
        form.add_error(None, str(error))
        return _page(request, shown, form=form)
    link = f"{whole_address(request, reverse('organize:invitation-open'))}#{token}"
    return _page(request, shown, made=invitation, link=link)


def _remove(request: HttpRequest, community: Community, member: Membership) -> HttpResponse:
    is_self, is_sent = member.user_id == request.user.pk, request.method == "POST"
    context = {"community": community, "member": member, "is_self": is_self}
    try:
        if not is_sent:
            refuse_last_owner(member, actor(request))
            return render(request, "organize/community/member_remove.html", context)
        remove_member(community.pk, member.user_id, actor=actor(request))
    except ContestError as error:
        context["problem"] = str(error)
        return render(request, "organize/community/member_remove.html", context, status=409 if is_sent else 200)
    if is_self:
        messages.success(request, gettext("You have left %(name)s.") % {"name": community.name})
        return redirect("organize:home")
    messages.success(request, gettext("%(name)s is no longer a member.") % {"name": member.user.get_username()})
    _mention_tokens(request, community, member)
    return redirect("organize:members", community.pk)


def _may_leave(request: HttpRequest, community: Community) -> bool:
    """Whether the visitor, if a member, may give up their role: the last owner may not."""
    own = community.memberships.select_related("user").filter(user=request.user.pk).first()
    try:
        if own is not None:
            refuse_last_owner(own, actor(request))
    except ContestError:
        return False
    return True


def _mention_tokens(request: HttpRequest, community: Community, member: Membership) -> None:
    """Remind owners that API tokens keep working when their creator is no longer an owner."""
    if community.memberships.filter(user=member.user_id, role=Role.OWNER).exists():
        return
    count = community.api_tokens.valid(timezone.now()).filter(created_by=member.user_id).count()
    if count:
        reminder = ngettext(
            "%(name)s has created an API token, which still works. Revoke it if %(name)s may have a copy.",
            "%(name)s has created %(count)s API tokens, which still work. Revoke those that %(name)s may have a copy "
            "of.",
            count,
        )
        messages.warning(request, reminder % {"name": member.user.get_username(), "count": count})


def _page(
    request: HttpRequest,
    community: Community,
    *,
    form: MemberInvitationForm | None = None,
    made: Invitation | None = None,
    link: str = "",
) -> HttpResponse:
    members = community.memberships.select_related("user").order_by("user__username")
    found, status = page_of(request, members, PAGE_SIZE)
    is_owner = Community.objects.owned_by(request.user).filter(pk=community.pk).exists()
    typed = unsent_of(request, reverse("organize:member-invitations", args=[community.pk]))
    form = form or MemberInvitationForm(typed)
    context = {
        "community": community,
        "page": found,
        "rows": _with_chosen_roles(request, community, found),
        "is_owner": is_owner,
        "may_leave": _may_leave(request, community),
        "roles": ROLES,
        "invitations": list(open_invitations(community)) if is_owner else [],
        "form": form,
        "made": made,
        "link": link,
    }
    return render(request, "organize/community/members.html", context, status=422 if form.errors else status)


def _with_chosen_roles(
    request: HttpRequest, community: Community, members: Iterable[Membership]
) -> list[tuple[Membership, str]]:
    """Return members, each with the selected role: that of a form whose session expired, or else the member's own."""
    actions = {reverse("organize:member-role", args=[community.pk, each.user_id]): each for each in members}
    action, typed = unsent_among(request, actions) or ("", {})
    form = RoleForm(typed)
    chosen = {action: form.cleaned_data["role"]} if form.is_valid() else {}
    return [(member, chosen.get(action, member.role)) for action, member in actions.items()]
