"""What organizers write into forms: shapes and ranges are checked here, rules in the services."""

from web.organize.contests.forms import ContestForm, CorrectionForm, NewRowForm, RemovalForm, SelectedRowsForm
from web.shared.form_fields import ReasonForm, UtcField, plain_text
from web.organize.people.forms import AliasForm, MergeForm, PersonForm, RenameForm
from web.organize.series.forms import SeriesForm
from web.organize.uploads.forms import UploadForm

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
