"""Pictures of players: the tag that shows one or the initials, and the form that changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.limits import seconds_to_wait, too_many_attempts
from contests.errors import ContestError
from contests.images import ACCEPTED, FORMATS, PICTURE_BYTES, PICTURE_SIZE, check_bytes
from contests.services.pictures import set_picture
from web.shared.access import actor
from web.shared.names import first_name, initials_of

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString

    from contests.models import Player


def player_picture(player: Player, classes: str = "", initials: str = "", is_lazy: bool = True) -> SafeString:
    """
    Show the picture of a player, or the initials in a circle; both are decorative, beside the name.

    classes
        CSS classes: those of a tier give the circle its colour.
    initials
        One or two letters, by default those of the name that pages show first.
    is_lazy
        Whether browsers load the picture only when it comes into view.
    """
    classes = " ".join(f"monogram {classes}".split())
    if not player.picture:
        letters = initials or initials_of(first_name(player))
        return format_html('<span class="{}" aria-hidden="true">{}</span>', classes, letters)
    return format_html(
        '<img class="{} picture" src="{}" width="{}" height="{}" alt="" loading="{}" decoding="async">',
        classes, player.picture_address, PICTURE_SIZE, PICTURE_SIZE, "lazy" if is_lazy else "eager",
    )  # fmt: skip


class PictureForm(forms.Form):
    """An image file that becomes the picture of a player."""

    picture = forms.FileField(
        label=gettext_lazy("Picture"),
        max_length=255,
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
        error_messages={"required": gettext_lazy("Choose an image file first.")},
        help_text=format_lazy(
            gettext_lazy(
                "{formats}, up to {most} MB. Podium crops the image to a square around its centre, and keeps neither "
                "the original file nor its location, time and camera data."
            ),
            formats=" / ".join(FORMATS),
            most=PICTURE_BYTES // 2**20,
        ),
    )

    def clean_picture(self) -> UploadedFile:
        picture: UploadedFile = self.cleaned_data["picture"]
        try:
            check_bytes(picture.size or 0, PICTURE_BYTES)
        except ContestError as error:
            raise ValidationError(str(error)) from error
        return picture


def change_picture(request: HttpRequest, player: Player, *, template: str, back: str) -> HttpResponse:
    """
    Show the form for the picture of a player whom the visitor may change; set or remove the picture on POST.

    back
        The address to return to.
    """
    is_sent = request.method == "POST"
    form = PictureForm(request.POST, request.FILES) if is_sent else PictureForm()
    if is_sent:
        if wait := seconds_to_wait(request, "picture-account", str(actor(request).pk)):
            return too_many_attempts(request, wait)
        if "remove" in request.POST:
            set_picture(player.pk, None, actor=actor(request))
            messages.success(request, _("Removed the picture."))
            return redirect(back)
        if form.is_valid() and _saved(request, player, form):
            messages.success(request, _("Saved the picture."))
            return redirect(back)
    context = {"form": form, "player": player, "back": back}
    return render(request, template, context, status=422 if form.errors else 200)


def _saved(request: HttpRequest, player: Player, form: PictureForm) -> bool:
    """Save the picture, or put the error at the field; return whether all went well."""
    try:
        set_picture(player.pk, form.cleaned_data["picture"].read(), actor=actor(request))
    except ContestError as error:
        form.add_error("picture", str(error))
    return form.is_valid()
