"""Who else shall organize a series, and accounts for those who are invited."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts

from contests.plain_text import plain_text
from contests.services.organizers import LONGEST_NOTE


class OrganizerForm(forms.Form):
    """An account that shall organize the series."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text="Of somebody who has an account here, exactly as it is written.",
    )


class InvitationForm(forms.Form):
    """Whom a link is for."""

    note = forms.CharField(
        label="For whom",
        max_length=LONGEST_NOTE,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Only so that you can tell your links apart; such as “Bo, timekeeper”.",
    )


class AccountForm(UserCreationForm):
    """A user name and a password, by Django's own rules, and perhaps an e-mail address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        # Whoever opens the page shall read first what it is about.
        self.fields["username"].widget.attrs.pop("autofocus", None)
        self.fields["email"].label = "E-mail address"
        self.fields["email"].help_text = "Only for a new password if you forget yours."
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["password1"].help_text = " ".join(password_validators_help_texts())

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username", "email")
