"""What organizers write into forms: shapes and ranges are checked here, rules in the services."""

from contests.forms.contest import ContestForm, CorrectionForm, SelectedRowsForm
from contests.forms.fields import ReasonForm, UtcField, plain_text
from contests.forms.series import SeriesForm
from contests.forms.upload import UploadForm

__all__ = [
    "ContestForm",
    "CorrectionForm",
    "ReasonForm",
    "SelectedRowsForm",
    "SeriesForm",
    "UploadForm",
    "UtcField",
    "plain_text",
]
