"""An organizer's home page, and the organizers of each series: added by username or by invitation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import sign_up
from accounts.confirming import reauthenticated
from contests.addresses import whole_address
from contests.errors import ContestError
from contests.models import Community, Player, Role, Series
from contests.plain_text import plain_text
from contests.queries.reports import claims_of
from contests.queries.visibility import lacks_second_organizer
from contests.services.communities import may_create_community
from contests.services.organizers import (
    LONGEST_NOTE,
    NotOpen,
    accept_invitation,
    accept_with_new_account,
    add_organizer,
    find_invitation,
    has_role_already,
    invite,
    open_invitations,
    refuse_last_organizer,
    remove_organizer,
    withdraw_exposed,
    withdraw_invitation,
)
from ratings.database import consistent_read
from ratings.queries.titles import find_series
from web.organize.community.states import states_of
from web.shared.access import actor, organizer_page, own_invitation, own_series
from web.shared.first_steps import furthest_contest, is_published, steps_at_home, steps_of_series
from web.shared.params import page_of, text_of
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from contests.models import Invitation, Membership
    from web.organize.community.states import SeriesState
    from web.shared.first_steps import Step
    from web.shared.params import SeriesPath


class OrganizerForm(forms.Form):
    """The account to add as an organizer."""

    username = forms.CharField(
        label=gettext_lazy("Username"),
        max_length=150,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=gettext_lazy("The exact username of an account on this site."),
    )


class InvitationForm(forms.Form):
    """A note on the person whom a link is for."""

    note = forms.CharField(
        label=gettext_lazy("Recipient"),
        max_length=LONGEST_NOTE,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Helps you tell your links apart, for example “Bo, timekeeper”."),
    )


class InvitationLinkForm(forms.Form):
    """The whole link of an invitation, or only the part after the #."""

    link = forms.CharField(
        label=gettext_lazy("Link"),
        max_length=400,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=gettext_lazy("The whole link that you received."),
    )

    def clean_link(self) -> str:
        return self.cleaned_data["link"].rpartition("#")[2].rstrip("/").rpartition("/")[2]


class AccountForm(UserCreationForm):
    """A username and a password that follow Django's rules, and an optional email address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = gettext("Username")
        # Visitors should read the invitation before the form takes the focus.
        self.fields["username"].widget.attrs.pop("autofocus", None)
        self.fields["email"].label = gettext("Email address")
        self.fields["email"].help_text = gettext(
            "Used only to send you a link if you forget your password, and to tell you about changes to your account "
            "and about games that your opponents report. You can turn off messages about games."
        )
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["password1"].label, self.fields["password2"].label = gettext("Password"), gettext("Repeat password")
        self.fields["password1"].help_text = password_validators_help_text_html()
        self.fields["password2"].help_text = ""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username", "email")


#: The message after someone accepted an invitation to each role.
_WELCOME = {
    Role.OWNER: gettext_lazy("You are now an owner of %(name)s."),
    Role.ORGANIZER: gettext_lazy("You are now an organizer of %(name)s."),
    Role.VIEWER: gettext_lazy("You are now a viewer of %(name)s."),
}
#: In the session: the secret of the invitation that this browser has opened.
_OPENED = "podium_invitation"
#: Series on a page.
PAGE_SIZE = 50
#: Communities of the visitor on the home page.
MEMBERSHIPS_SHOWN = 200


@organizer_page
def home(request: HttpRequest) -> HttpResponse:
    """Show the series that the visitor organizes by community, paged by name or filtered by a search."""
    text = text_of(request, "q")
    user = actor(request)
    with consistent_read():
        mine = Series.objects.organized_by(user).select_related("community")
        found = find_series(text, mine) if text else mine.order_by("community__name", "community", "name", "pk")
        page, status = page_of(request, found, PAGE_SIZE)
        states = states_of(page.object_list, user)
        roles = user.memberships.select_related("community").order_by("community__name", "community")
        roles_by_community = {each.community_id: each for each in roles[:MEMBERSHIPS_SHOWN]}
    groups = _grouped(states, roles_by_community, alone=page.paginator.num_pages > 1 or bool(text))
    may_create = may_create_community(user)
    context = {
        "claims": claims_of(user),
        "groups": groups,
        "steps": [] if text or page.paginator.num_pages > 1 else _steps(groups, states, may_create=may_create),
        "states": states,
        "page": page,
        "search": text,
        "may_create_community": may_create,
    }
    return render(request, "organize/community/home.html", context, status=status)


def _steps(groups: list[CommunityGroup], states: list[SeriesState], *, may_create: bool) -> list[Step]:
    """Return the first-run guide; no steps for viewers and for people who have published a series."""
    has_community = any(group.is_organized for group in groups)
    if any(is_published(state.run) for state in states) or not (has_community or may_create or states):
        return []
    if not states:
        return steps_at_home(has_community=has_community, may_create=may_create)
    series = max(states, key=lambda state: (state.finalized_count, state.draft_count)).series
    return steps_of_series(series, furthest_contest(series))


@dataclass(slots=True)
class CommunityGroup:
    """A community on the home page with the series of the page; `role` is empty for people without one."""

    community: Community
    role: str
    states: list[SeriesState]

    @property
    def role_label(self) -> str:
        return str(Role(self.role).label)

    @property
    def is_organized(self) -> bool:
        return self.role in (Role.OWNER, Role.ORGANIZER)


def _grouped(states: list[SeriesState], roles: Mapping[str, Membership], *, alone: bool) -> list[CommunityGroup]:
    """Return the communities of these series by name, and unless `alone` also the visitor's other communities."""
    groups: dict[str, CommunityGroup] = {}
    for state in states:
        community = state.series.community
        role = roles[community.pk].role if community.pk in roles else ""
        groups.setdefault(community.pk, CommunityGroup(community, role, [])).states.append(state)
    if not alone:
        for pk, member in roles.items():
            groups.setdefault(pk, CommunityGroup(member.community, member.role, []))
    return sorted(groups.values(), key=lambda group: (group.community.name, group.community.pk))


@organizer_page
@reauthenticated
def page(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """List the organizers and the open invitations; a POST adds an organizer by username."""
    series = own_series(request, at)
    form = OrganizerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            added = add_organizer(series.pk, form.cleaned_data["username"], actor=actor(request))
        except ContestError as error:
            form.add_error("username", str(error))
        else:
            messages.success(
                request,
                gettext("%(username)s is now an organizer of %(name)s.")
                % {"username": added.get_username(), "name": series.name},
            )
            return redirect("organize:organizers", series)
    return _page(request, series, form=form)


@organizer_page
@reauthenticated
def remove(request: HttpRequest, at: SeriesPath, pk: int) -> HttpResponse:
    """Ask for confirmation to remove an organizer; remove on POST."""
    series = own_series(request, at)
    person = get_object_or_404(get_user_model(), organized_series=series, pk=pk)
    is_sent = request.method == "POST"
    context = {
        "series": series,
        "person": person,
        "is_last": series.organizers.count() == 1,
        "keeps": Community.objects.organized_by(person).filter(pk=series.community_id).exists(),
    }
    try:
        if not is_sent:
            refuse_last_organizer(series, person, actor(request))
            return render(request, "organize/community/organizer_remove.html", context)
        remove_organizer(series.pk, person.pk, actor=actor(request))
    except ContestError as error:
        context["problem"] = str(error)
        return render(request, "organize/community/organizer_remove.html", context, status=409 if is_sent else 200)
    messages.success(
        request,
        gettext("%(username)s is no longer an organizer of %(name)s.")
        % {"username": person.get_username(), "name": series.name},
    )
    is_gone = person == request.user and not actor(request).is_staff
    return redirect("organize:home") if is_gone else redirect("organize:organizers", series)


@require_http_methods(["GET", "HEAD", "POST"])
@organizer_page
@reauthenticated
def create_invitation(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Create a link and show it in this response only, because Podium keeps only its hash; on GET, show the page."""
    series = own_series(request, at)
    if request.method != "POST":
        return redirect("organize:organizers", series)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, series, invitation_form=form)
    try:
        invitation, token = invite(series.pk, note=form.cleaned_data["note"], actor=actor(request))
    except ContestError as error:
        form.add_error(None, str(error))
        return _page(request, series, invitation_form=form)
    # Browsers do not send what follows the #, so the secret never appears in a log along the way.
    link = f"{whole_address(request, reverse('organize:invitation-open'))}#{token}"
    return _page(request, series, made=invitation, link=link)


@require_POST
@organizer_page
@reauthenticated
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw an invitation, so that its link no longer works."""
    invitation = own_invitation(request, pk)
    withdrawn = withdraw_invitation(invitation.pk, actor=actor(request))
    if withdrawn.accepted_at is not None:
        if invitation.player_id is None:
            text = gettext(
                "Someone has already accepted this invitation. If it was the wrong person, remove them below."
            )
        else:
            text = gettext(
                "Someone has already accepted this invitation. If it was the wrong person, unlink their account below."
            )
        messages.error(request, text)
    else:
        messages.success(request, gettext("Withdrawn. The link no longer works."))
    if invitation.player_id is not None:
        return redirect("organize:person", invitation.player_id)
    if invitation.series is None:
        return redirect("organize:members", invitation.community_id)
    return redirect("organize:organizers", invitation.series)


@never_cache
@sensitive_post_parameters("link")
def open_link(request: HttpRequest) -> HttpResponse:
    """Receive the secret of a link, which a script takes from after the #, and go on to the invitation."""
    form = InvitationLinkForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            find_invitation(form.cleaned_data["link"])
        except NotOpen as refusal:
            return _closed(request, refusal)
        request.session[_OPENED] = form.cleaned_data["link"]
        return redirect("organize:invitation-accept")
    status = 422 if form.errors else 200
    return _private(render(request, "organize/community/invitation_open.html", {"form": form}, status=status))


@never_cache
@sensitive_post_parameters("password1", "password2")
def accept_opened(request: HttpRequest) -> HttpResponse:
    """Let the holder of a link that was opened in this browser accept it, with the account in use or a new one."""
    token = request.session.get(_OPENED, "")
    if not token:
        return redirect("organize:invitation-open")
    try:
        invitation = find_invitation(token)
        if request.method == "POST" and request.user.is_authenticated:
            return _welcome(request, accept_invitation(token, user=request.user), invitation.role)
        return _invited(request, token, invitation)
    except ContestError as refusal:  # also a community that is full
        return _closed(request, refusal)


@never_cache
def old_link(request: HttpRequest, token: str) -> HttpResponse:
    """
    Explain that a link of an earlier version, with the secret in its path, no longer works.

    The response is the same for each secret. Proxies on the way may have logged this one, so it is void from now on.
    """
    withdraw_exposed(token)
    return _private(render(request, "organize/community/invitation_old.html", status=410))


def _closed(request: HttpRequest, refusal: ContestError) -> HttpResponse:
    request.session.pop(_OPENED, None)
    status = {"unknown": 404, None: 409}.get(getattr(refusal, "reason", None), 410)
    context = {"problem": str(refusal)}
    return _private(render(request, "organize/community/invitation_closed.html", context, status=status))


def _invited(request: HttpRequest, token: str, invitation: Invitation) -> HttpResponse:
    """Show the invitation; create an account on POST, unless the site is closed to new accounts."""
    sign_up.admit(request)
    form = AccountForm(request.POST or None)
    if request.method == "POST" and sign_up.allows_invited() and form.is_valid():
        said = form.cleaned_data
        try:
            target, user = accept_with_new_account(
                token, username=said["username"], password=said["password1"], email=said["email"]
            )
        except NotOpen:
            raise
        except ContestError as error:
            form.add_error("username", str(error))
        else:
            destination = _welcome(request, target, invitation.role)["Location"]
            return sign_up.welcome(request, user, destination)
    already = request.user.is_authenticated and has_role_already(invitation, request.user)
    context = {"invitation": invitation, "series": invitation.series, "form": form, "is_organizer": already}
    context |= {"is_open": sign_up.allows_invited()}
    return _private(render(request, "organize/community/invitation.html", context, status=422 if form.errors else 200))


def _welcome(request: HttpRequest, target: Series | Community | Player, role: str) -> HttpResponse:
    request.session.pop(_OPENED, None)
    if isinstance(target, Player):
        messages.success(request, gettext("Your account is now linked to %(handle)s.") % {"handle": target.handle})
        return redirect("my-games")
    messages.success(request, _WELCOME[Role(role)] % {"name": target.name})
    if isinstance(target, Series):
        return redirect("organize:series", target)
    return redirect("community" if role == Role.VIEWER else "organize:community", target.pk)


def _private(response: HttpResponse) -> HttpResponse:
    """Keep the secret address from other sites and from search engines."""
    response["Referrer-Policy"] = "same-origin"
    response["X-Robots-Tag"] = "noindex"
    return response


def _page(
    request: HttpRequest,
    series: Series,
    *,
    form: OrganizerForm | None = None,
    invitation_form: InvitationForm | None = None,
    made: Invitation | None = None,
    link: str = "",
) -> HttpResponse:
    typed = unsent_of(request, reverse("organize:invitations", args=[series]))
    form, invitation_form = form or OrganizerForm(), invitation_form or InvitationForm(typed)
    organizers = list(series.organizers.order_by("username"))
    context = {
        "series": series,
        "organizers": organizers,
        "may_remove": len(organizers) > 1 or actor(request).is_staff,
        "invitations": list(open_invitations(series)),
        "form": form,
        "invitation_form": invitation_form,
        "lacks_second": lacks_second_organizer(series),
        "made": made,
        "link": link,
    }
    has_errors = bool(form.errors or invitation_form.errors)
    return render(request, "organize/community/organizers.html", context, status=422 if has_errors else 200)
