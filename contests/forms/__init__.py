"""What organizers write into forms: shapes and ranges are checked here, rules in the services."""

from contests.forms.contest import ContestForm, CorrectionForm, NewRowForm, RemovalForm, SelectedRowsForm
from contests.forms.fields import ReasonForm, UtcField, plain_text
from contests.forms.people import AliasForm, MergeForm, PersonForm, RenameForm
from contests.forms.series import SeriesForm
from contests.forms.upload import UploadForm

__all__ = [
    "AliasForm",
    "ContestForm",
    "CorrectionForm",
    "MergeForm",
    "NewRowForm",
    "PersonForm",
    "ReasonForm",
    "RemovalForm",
    "RenameForm",
    "SelectedRowsForm",
    "SeriesForm",
    "UploadForm",
    "UtcField",
    "plain_text",
]
