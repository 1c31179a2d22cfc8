"""The organizers' pages."""

from django.urls import path

from contests.views import organize_contest as contest_forms
from contests.views import organize_standing, organize_upload
from ratings.views import (
    organize_change,
    organize_contest,
    organize_home,
    organize_preview,
    organize_progress,
    organize_series,
)

app_name = "organize"
urlpatterns = [
    path("", organize_home.home, name="home"),
    path("new/", organize_series.create, name="series-create"),
    path("series/<slug:slug>/", organize_series.page, name="series"),
    path("series/<slug:slug>/edit/", organize_series.edit, name="series-edit"),
    path("series/<slug:slug>/progress/", organize_progress.progress, name="progress"),
    path("series/<slug:slug>/progress.json", organize_progress.progress_json, name="progress-json"),
    path("series/<slug:slug>/ring/", organize_progress.ring_again, name="ring"),
    path("series/<slug:slug>/contests/new/", contest_forms.create, name="contest-create"),
    path("change/", organize_change.change, name="change"),
    path("change/progress.json", organize_change.change_progress, name="change-progress"),
    path("contests/<int:pk>/", organize_contest.page, name="contest"),
    path("contests/<int:pk>/edit/", contest_forms.edit, name="contest-edit"),
    path("contests/<int:pk>/upload/", organize_upload.upload, name="upload"),
    path("contests/<int:pk>/finalize/", contest_forms.finalize, name="finalize"),
    path("contests/<int:pk>/delete/", contest_forms.delete, name="contest-delete"),
    path("contests/<int:pk>/restore/", contest_forms.restore, name="contest-restore"),
    path("contests/<int:pk>/correct/", organize_standing.correct_selected, name="correct-selected"),
    path("uploads/<int:pk>/preview/", organize_preview.preview, name="preview"),
    path("uploads/<int:pk>/save/", organize_upload.save, name="upload-save"),
    path("uploads/<int:pk>/discard/", organize_upload.discard, name="upload-discard"),
    path("standings/<int:pk>/correct/", organize_standing.correct, name="correct"),
]
