"""Who else shall organize a series, and accounts for those who are invited."""

from __future__ import annotations

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User

from contests.forms.fields import plain_text
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
    """A user name and a password, by Django's own rules."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)
