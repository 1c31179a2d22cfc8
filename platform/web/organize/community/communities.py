"""The organizers' pages of a community: its overview, its settings, and forms to create and delete one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from accounts.confirming import reauthenticated
from contests.addresses import whole_address
from contests.errors import ContestError
from contests.images import ACCEPTED, FORMATS, LOGO_BYTES, check_bytes
from contests.models import Community, Player, Role, Visibility
from contests.models.community import LONGEST_SLUG, Licence
from contests.plain_text import plain_text
from contests.services.communities import (
    create_community,
    delete_community,
    describe_community,
    description_of,
    may_create_community,
    private_slug,
    random_ending,
    set_logo,
)
from ratings.database import consistent_read
from web.organize.community.states import states_of
from web.shared.access import actor, organizer_page, own_community
from web.shared.audit_trail import history_of_community
from web.shared.form_fields import MAX_TEXT, slug_of
from web.shared.params import page_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import UploadedFile
    from django.http import HttpRequest, HttpResponse

#: Series on a page.
PAGE_SIZE = 50


class CommunityForm(forms.Form):
    """The description of a community; the short name is part of addresses and cannot change."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        validators=[plain_text],
        help_text=gettext_lazy("Example: “Harbour Club”."),
    )
    slug = forms.CharField(
        label=gettext_lazy("Short name"),
        max_length=LONGEST_SLUG,
        required=False,
        validators=Community._meta.get_field("slug").validators,
        help_text=gettext_lazy(
            "Letters a to z, digits and hyphens. Part of every web address of the community. You cannot "
            "change it later. Leave empty to derive it from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=MAX_TEXT,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("For visitors: who you are, and which contests you run."),
    )
    website = forms.CharField(
        label=gettext_lazy("Website"),
        max_length=300,
        required=False,
        validators=Community._meta.get_field("website").validators,
        help_text=gettext_lazy("A page about your group, for example https://harbour.example.org/."),
    )
    accent = forms.CharField(
        label=gettext_lazy("Accent colour"),
        max_length=7,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "#1a7f37", "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "The colour of links and buttons on the pages of the community, as # and six hexadecimal digits."
        ),
    )
    licence = forms.ChoiceField(
        label=gettext_lazy("Licence"),
        choices=[("", gettext_lazy("None stated")), *Licence.choices],
        required=False,
        help_text=gettext_lazy("What others may do with the results and ratings."),
    )
    names_first = forms.BooleanField(
        label=gettext_lazy("Show real names first"),
        required=False,
        help_text=gettext_lazy(
            "A player’s page shows the real name first, if Podium knows it, and the handle below it. "
            "Turn this off if players know each other by their handles."
        ),
    )
    visibility = forms.ChoiceField(
        label=gettext_lazy("Visibility"),
        choices=[
            (Visibility.PUBLIC, gettext_lazy("Public: anyone can find and read it")),
            (
                Visibility.UNLISTED,
                gettext_lazy("Unlisted: anyone with the address can read it, but no list or search shows it"),
            ),
            (Visibility.PRIVATE, gettext_lazy("Private: only members can read it")),
        ],
        widget=forms.RadioSelect,
        initial=Visibility.PUBLIC,
        help_text=gettext_lazy("You can also make individual series private."),
    )

    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        required=False,
        max_length=255,
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
        help_text=format_lazy(
            gettext_lazy(
                "{formats}, up to {most} MB. Square images look best, because pages show the logo small, next to the "
                "name."
            ),
            formats=" / ".join(FORMATS),
            most=LOGO_BYTES // 2**20,
        ),
    )
    remove_logo = forms.BooleanField(label=gettext_lazy("Remove the logo"), required=False)

    def __init__(self, *args: Any, community: Community | None = None, **kwargs: Any) -> None:
        if community is not None:
            kwargs["initial"] = description_of(community) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self.is_new = community is None
        #: The random end of the address of a new private community, the same when the form comes back with errors.
        self.ending = random_ending(self.data.get("ending", ""))
        if not self.is_new:
            del self.fields["slug"]
            self.fields["visibility"].help_text = gettext(
                "You can also make individual series private. The web address stays the same."
            )
        else:
            for name in ("accent", "licence", "names_first", "logo"):
                del self.fields[name]
        if community is None or not community.logo:
            del self.fields["remove_logo"]

    @property
    def private_address(self) -> str:
        """The path of the new community if it becomes private, with as much of the short name as is known."""
        short = self.cleaned_data.get("slug", "") if self.is_bound else ""
        return reverse("community", args=[private_slug(short or gettext("short-name"), self.ending)])

    def clean_accent(self) -> str:
        accent: str = self.cleaned_data["accent"].lower()
        if accent:
            Community._meta.get_field("accent").run_validators(accent)
        return accent

    def clean_logo(self) -> UploadedFile | None:
        logo: UploadedFile | None = self.cleaned_data["logo"]
        try:
            check_bytes((logo.size if logo is not None else 0) or 0, LOGO_BYTES)
        except ContestError as error:
            raise ValidationError(str(error)) from error
        return logo

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.is_new and "name" in cleaned and "slug" not in self.errors:
            cleaned["slug"] = cleaned["slug"] or slug_of(cleaned["name"])[:LONGEST_SLUG].replace("_", "-").strip("-")
            if not cleaned["slug"]:
                self.add_error(
                    "slug", gettext("The name has no letters a to z. Enter a short name, such as harbour-club.")
                )
        if cleaned.get("logo") and cleaned.get("remove_logo"):
            self.add_error(
                "logo", gettext("You chose a new logo and also ticked “Remove the logo”. Choose only one of the two.")
            )
        return cleaned


@organizer_page
def page(request: HttpRequest, community: str) -> HttpResponse:
    """Show a community to its owners and organizers: its series, counts, and for owners its history."""
    shown = own_community(request, community)
    with consistent_read():
        series = shown.series.order_by("name", "pk")
        found, status = page_of(request, series, PAGE_SIZE)
        is_owner = Community.objects.owned_by(request.user).filter(pk=shown.pk).exists()
        context = {
            "community": shown,
            "page": found,
            "states": states_of(found.object_list, actor(request)),
            "player_count": Player.objects.existing().filter(community=shown).count(),
            "member_count": shown.memberships.count(),
            "is_owner": is_owner,
            "history": history_of_community(shown) if is_owner else [],
        }
        return render(request, "organize/community/community.html", context, status=status)


@organizer_page
def create(request: HttpRequest) -> HttpResponse:
    """Create a community, owned by its creator."""
    if not may_create_community(actor(request)):
        raise ContestError(
            gettext(
                "You cannot create a community on this site. Ask the owner of one to invite you, or ask the "
                "site administrators to create one for you."
            )
        )
    form = CommunityForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = dict(form.cleaned_data)
        try:
            community = create_community(values.pop("slug"), **values, ending=form.ending, actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            address = whole_address(request, reverse("community", args=[community.pk]))
            messages.success(
                request,
                gettext("Created %(name)s at %(address)s. Next, create its first series.")
                % {"name": community.name, "address": address},
            )
            return redirect("organize:community", community.pk)
    status = 422 if form.errors else 200
    return render(request, "organize/community/community_form.html", {"form": form}, status=status)


@organizer_page
@reauthenticated
def settings(request: HttpRequest, community: str) -> HttpResponse:
    """Change the description, the visibility and the logo of a community."""
    changed = own_community(request, community, role=Role.OWNER)
    form = CommunityForm(request.POST or None, request.FILES or None, community=changed)
    if request.method == "POST" and form.is_valid() and _save(form, changed, actor(request)):
        messages.success(request, gettext("Saved."))
        return redirect("organize:community", changed.pk)
    context = {"form": form, "community": changed, "is_empty": not changed.series.exists()}
    return render(request, "organize/community/community_form.html", context, status=422 if form.errors else 200)


def _save(form: CommunityForm, community: Community, by: User) -> bool:
    """Save everything or nothing; put errors on the form and return whether all went well."""
    said = dict(form.cleaned_data)
    logo, is_removed, field = said.pop("logo"), said.pop("remove_logo", False), None
    try:
        with transaction.atomic():
            describe_community(community.pk, **said, actor=by)
            field = "logo"
            if logo or is_removed:
                set_logo(community.pk, logo.read() if logo else None, actor=by)
    except ContestError as error:
        form.add_error(field, str(error))
    return form.is_valid()


@organizer_page
@reauthenticated
def delete(request: HttpRequest, community: str) -> HttpResponse:
    """Ask for confirmation to delete a community without series, with its players; delete on POST."""
    gone = own_community(request, community, role=Role.OWNER)
    problem = ""
    if request.method == "POST":
        try:
            delete_community(gone.pk, actor=actor(request))
        except ContestError as error:
            problem = str(error)
        else:
            messages.success(request, gettext("Deleted %(name)s.") % {"name": gone.name})
            return redirect("organize:home")
    context = {
        "community": gone,
        "problem": problem,
        "has_series": gone.series.exists(),
        "player_count": gone.players.existing().count(),
    }
    return render(request, "organize/community/community_delete.html", context, status=409 if problem else 200)
