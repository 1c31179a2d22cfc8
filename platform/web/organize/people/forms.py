"""What organizers say of players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from contests.formats.countries import country_code
from contests.handles import MAX_LENGTH
from contests.plain_text import plain_text
from contests.services.renaming import PlayerDescription, state_of
from web.shared.form_fields import MAX_REASON, REASON_HELP

if TYPE_CHECKING:
    from contests.models import Player

#: Before it is cleaned a handle may have more around it.
_LONGEST_INPUT = 4 * MAX_LENGTH


class _OptionalReasonForm(forms.Form):
    """A change that may be explained; the reason comes last."""

    field_order: list[str] | None = None
    reason = forms.CharField(
        max_length=MAX_REASON,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept in the history.",
    )


class _OfPlayerForm(_OptionalReasonForm):
    """A form about one player as it was when the page was made: `state` tells whether somebody was quicker."""

    state = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        kwargs["initial"] = {"state": state_of(player), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)


class RenameForm(_OfPlayerForm):
    """Another handle. What a handle may be is said by the service."""

    handle = forms.CharField(
        label="New handle",
        max_length=_LONGEST_INPUT,
        help_text="1 to 128 characters of any script. The old handle still leads to the player.",
    )
    field_order = ["handle", "reason"]

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        super().__init__(*args, player=player, initial={"handle": player.handle}, **kwargs)


class PersonForm(_OfPlayerForm):
    """Name, country and affiliation."""

    name = forms.CharField(max_length=200, required=False, validators=[plain_text])
    country = forms.CharField(
        max_length=80, required=False, help_text="A code such as DE, or an English name such as Germany."
    )
    affiliation = forms.CharField(
        max_length=200, required=False, validators=[plain_text], help_text="School, club or company."
    )
    field_order = ["name", "country", "affiliation", "reason"]

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        initial = {name: getattr(player, name) for name in PlayerDescription.__slots__}
        super().__init__(*args, player=player, initial=initial, **kwargs)

    def clean_country(self) -> str:
        said = self.cleaned_data["country"].strip()
        code = country_code(said) if said else ""
        if code is None:
            raise ValidationError("This is no country that is known; write its code, such as DE.")
        return code

    def description(self) -> PlayerDescription:
        """Return what a valid form says."""
        return PlayerDescription(**{name: self.cleaned_data[name] for name in PlayerDescription.__slots__})


class AliasForm(_OptionalReasonForm):
    """Another name that leads to a player."""

    handle = forms.CharField(
        label="Another name",
        max_length=_LONGEST_INPUT,
        help_text="As it is written in files, or was in old addresses. Results under it will be this player's.",
    )
    field_order = ["handle", "reason"]


class MergeForm(forms.Form):
    """Which of two players stays, and why they are one."""

    kept = forms.TypedChoiceField(label="Who stays", coerce=int, widget=forms.RadioSelect)
    reason = forms.CharField(
        max_length=MAX_REASON,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=REASON_HELP,
    )

    def __init__(self, *args: Any, players: tuple[Player, Player], kept: Player, **kwargs: Any) -> None:
        kwargs["initial"] = {"kept": kept.pk}
        super().__init__(*args, **kwargs)
        self.players = players
        field = self.fields["kept"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(player.pk, player.handle) for player in players]

    def in_order(self) -> tuple[int, int]:
        """Return the ids of who stays and who is merged, as a valid form says."""
        one, other = self.players
        return (one.pk, other.pk) if self.cleaned_data["kept"] == one.pk else (other.pk, one.pk)
