"""The forms of an upload: the file, how to read it, and which player each handle means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from contests.formats import ReadingOptions, listed_formats
from contests.formats.table.columns import FIELDS, GAME_FIELDS
from contests.handles import MAX_LENGTH
from contests.uploads.review import DecisionInput
from contests.whole_numbers import whole_number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.http import QueryDict

    from contests.uploads.review import Columns

_LAST_LINE = 2_000_000
_MOST_ROWS = 500
_IGNORED = gettext_lazy("ignored")
#: The fields of columns in words.
_FIELD_WORDS = {
    "rank": gettext_lazy("Rank"),
    "handle": gettext_lazy("Handle"),
    "score": gettext_lazy("Score"),
    "name": gettext_lazy("Name"),
    "first_name": gettext_lazy("First name"),
    "last_name": gettext_lazy("Last name"),
    "country": gettext_lazy("Country"),
    "team": gettext_lazy("Team"),
    "status": gettext_lazy("Status"),
    "penalty": gettext_lazy("Penalty"),
    "share": gettext_lazy("Share"),
    "handicap": gettext_lazy("Handicap"),
    "date": gettext_lazy("Date"),
    "player_a": gettext_lazy("First player"),
    "player_b": gettext_lazy("Second player"),
    "result": gettext_lazy("Result"),
    "winner": gettext_lazy("Winner"),
    "score_a": gettext_lazy("First player’s score"),
    "score_b": gettext_lazy("Second player’s score"),
    "handicap_a": gettext_lazy("First player’s handicap"),
    "handicap_b": gettext_lazy("Second player’s handicap"),
    "round": gettext_lazy("Round"),
    "event": gettext_lazy("Event"),
}
_COMMA = {"": None, "comma": True, "point": False}


class UploadForm(forms.Form):
    """A standings file, or the same text pasted."""

    file = forms.FileField(label=gettext_lazy("File"), required=False, max_length=255)
    text = forms.CharField(
        label=gettext_lazy("Or paste a table"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "You can paste cells copied from a spreadsheet. The first line names the columns. JSON works too."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = gettext("%(formats)s. All of them can be compressed with gzip.") % {
            "formats": listed_formats()
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        has_text = bool(cleaned["text"].strip())
        if cleaned["file"] and has_text:
            raise ValidationError(gettext("You chose a file and pasted a table. Upload only one of them."))
        if not cleaned["file"] and not has_text:
            raise ValidationError(gettext("Choose a file, or paste a table."))
        return cleaned


class ReadingForm(forms.Form):
    """The options for reading a table: its sheet, header line, decimal comma, and the contents of each column."""

    header_row = forms.IntegerField(
        label=gettext_lazy("Row with the column names"),
        min_value=0,
        max_value=_LAST_LINE,
        required=False,
        help_text=gettext_lazy("Enter 0 if there are no column names. Leave empty to detect the row automatically."),
    )
    decimal_comma = forms.ChoiceField(
        label=gettext_lazy("Decimal separator"),
        required=False,
        choices=[
            ("", gettext_lazy("detect automatically")),
            ("point", gettext_lazy("point (1234.5)")),
            ("comma", gettext_lazy("comma (1234,5)")),
        ],
    )

    def __init__(self, *args: Any, columns: Columns, **kwargs: Any) -> None:
        self.columns = columns
        comma = next(name for name, value in _COMMA.items() if value is columns.decimal_comma)
        kwargs["initial"] = {"header_row": columns.header_row, "decimal_comma": comma, "sheet": columns.sheet}
        super().__init__(*args, **kwargs)
        if len(columns.sheets) > 1:
            choices = [(sheet, sheet) for sheet in columns.sheets]
            self.fields["sheet"] = forms.ChoiceField(label=gettext("Sheet"), choices=choices)
            self.order_fields(["sheet", "header_row", "decimal_comma"])
        fields: list[Any] = [
            ("", _IGNORED),
            (gettext("Standings, one player in each row"), _choices(FIELDS)),
            (gettext("Games, one game in each row"), _choices(GAME_FIELDS)),
        ]
        for column in columns.columns:
            label = column.name or gettext("column %(position)s") % {"position": column.position + 1}
            self.fields[f"column_{column.position}"] = forms.ChoiceField(
                label=gettext("Contents of “%(label)s”") % {"label": label},
                choices=fields,
                required=False,
                initial=column.field,
            )

    def general(self) -> Iterator[Any]:
        """Yield the fields for the whole table."""
        return (self[name] for name in self.fields if not name.startswith("column_"))

    def by_column(self) -> list[tuple[Any, Any]]:
        """Return each column with its field of the form."""
        return [(column, self[f"column_{column.position}"]) for column in self.columns.columns]

    def options(self) -> ReadingOptions:
        """Return the options of a valid form; for another sheet or header line, without the contents of the columns."""
        said = self.cleaned_data
        sheet, line = said.get("sheet") or self.columns.sheet, said["header_row"]
        comma = _COMMA[said["decimal_comma"]]
        if sheet != self.columns.sheet and line == self.columns.header_row:
            line = None  # the number was for the other sheet
        if (sheet, line) != (self.columns.sheet, self.columns.header_row) or not self.columns.columns:
            return ReadingOptions(None, sheet, line, comma)
        chosen = {column.position: said[f"column_{column.position}"] for column in self.columns.columns}
        return ReadingOptions(chosen, sheet, line, comma)


def _choices(fields: Iterable[str]) -> list[tuple[str, str]]:
    """Return the choices for fields, in words with the name that files use: "Rang (rank)"."""
    choices = []
    for field in fields:
        words = str(_FIELD_WORDS[field])
        choices.append((field, field if words.casefold() == field else f"{words} ({field})"))
    return choices


def handles_asked(posted: QueryDict) -> list[str]:
    """Return the valid handles of the form, whether or not someone was chosen for them."""
    said = (posted.get(f"handle_{i}", "") for i in range(_MOST_ROWS))
    return [handle for handle in said if handle and len(handle) <= MAX_LENGTH and "\0" not in handle]


def choices_of_people(posted: QueryDict) -> list[DecisionInput]:
    """Return the organizer's choice for each handle of the form, without invalid entries."""
    said = []
    for i in range(_MOST_ROWS):
        handle = posted.get(f"handle_{i}", "")
        if not handle or len(handle) > MAX_LENGTH or "\0" in handle:
            continue
        who, _, number = posted.get(f"who_{i}", "").partition("-")
        typed = posted.get(f"typed_{i}", "").replace("\0", "").strip()[: MAX_LENGTH + 1]
        if not who and typed:
            who = "typed"  # a typed handle counts as a choice
        player_id = whole_number_of(number) if who == "player" else None
        if who in ("new", "typed") or player_id is not None:
            is_alias = f"alias_{i}" in posted and who != "new"
            said.append(DecisionInput(handle, who, player_id or 0, typed, is_alias))
    return said
