"""What people say of their own account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from contests.plain_text import plain_text

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class ProfileForm(forms.Form):
    """Name and e-mail address; the address takes the password, as it leads to a new one."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=_(
            "Used only to send you a link if you forget your password. Only the staff of this site can see it."
        ),
    )
    password = forms.CharField(
        label=_("Current password"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=_("Only if you change the e-mail address."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"name": user.first_name, "email": user.email}
        super().__init__(*args, **kwargs)
        self.user = user

    @property
    def changes_email(self) -> bool:
        """Whether another address was typed, so that the password is going to be checked."""
        return self.data.get("email", "").strip() != self.user.email

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if "email" in said and said["email"] != self.user.email and not self.user.check_password(said["password"]):
            raise ValidationError({"password": _("Enter your current password to change the e-mail address.")})
        return said

    def save(self) -> None:
        """Keep what a valid form says."""
        self.user.first_name, self.user.email = self.cleaned_data["name"], self.cleaned_data["email"]
        self.user.save(update_fields=["first_name", "email"])
