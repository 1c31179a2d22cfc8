"""The organizers' pages."""

from django.urls import path

from contests.views import organize_contest as contest_forms
from contests.views import organize_organizers, organize_standing, organize_upload, organize_upload_review
from ratings.views import (
    organize_change,
    organize_contest,
    organize_home,
    organize_preview,
    organize_progress,
    organize_scheme,
    organize_series,
)

app_name = "organize"
urlpatterns = [
    path("", organize_home.home, name="home"),
    path("new/", organize_series.create, name="series-create"),
    path("series/<slug:slug>/", organize_series.page, name="series"),
    path("series/<slug:slug>/edit/", organize_series.edit, name="series-edit"),
    path("series/<slug:slug>/scheme/", organize_scheme.page, name="scheme"),
    path("series/<slug:slug>/organizers/", organize_organizers.page, name="organizers"),
    path("series/<slug:slug>/organizers/<int:pk>/remove/", organize_organizers.remove, name="organizer-remove"),
    path("series/<slug:slug>/invitations/", organize_organizers.create_invitation, name="invitations"),
    path("invitations/<int:pk>/withdraw/", organize_organizers.withdraw, name="invitation-withdraw"),
    path("invitations/<str:token>/", organize_organizers.accept, name="invitation"),
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
    path("contests/<int:pk>/review/<slug:token>/", organize_preview.review, name="review"),
    path("contests/<int:pk>/review/<slug:token>/read/", organize_upload_review.read, name="review-read"),
    path("contests/<int:pk>/review/<slug:token>/people/", organize_upload_review.decide_people, name="review-people"),
    path(
        "contests/<int:pk>/review/<slug:token>/take-over/",
        organize_upload_review.take_over_description,
        name="review-take-over",
    ),
    path("contests/<int:pk>/review/<slug:token>/now/", organize_upload_review.read_now, name="review-now"),
    path("contests/<int:pk>/review/<slug:token>/save/", organize_upload_review.save, name="review-save"),
    path("contests/<int:pk>/review/<slug:token>/discard/", organize_upload_review.discard, name="review-discard"),
    path("contests/<int:pk>/review/<slug:token>/remarks/", organize_upload_review.remarks, name="review-annotated"),
    path(
        "contests/<int:pk>/review/<slug:token>/progress.json",
        organize_upload_review.progress_json,
        name="review-progress",
    ),
    path("standings/<int:pk>/correct/", organize_standing.correct, name="correct"),
]
