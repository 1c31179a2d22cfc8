"""The organizers' pages."""

from django.urls import path

from accounts.views import limited_accounts
from web.organize.changes import views as organize_change
from web.organize.community import organizer_views as organize_organizers
from web.organize.community import views as organize_home
from web.organize.contests import edit_views as contest_forms
from web.organize.contests import standing_views as organize_standing
from web.organize.contests import views as organize_contest
from web.organize.people import person_views as organize_person
from web.organize.people import views as organize_people
from web.organize.runs import compare_views as organize_compare
from web.organize.runs import progress_views as organize_progress
from web.organize.runs import views as organize_runs
from web.organize.scheme import views as organize_scheme
from web.organize.series import views as organize_series
from web.organize.uploads import preview_views as organize_preview
from web.organize.uploads import review_views as organize_upload_review
from web.organize.uploads import views as organize_upload

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
    path("invitations/<str:token>/", limited_accounts(organize_organizers.accept), name="invitation"),
    path("series/<slug:slug>/progress/", organize_progress.progress, name="progress"),
    path("series/<slug:slug>/progress.json", organize_progress.progress_json, name="progress-json"),
    path("series/<slug:slug>/ring/", organize_progress.wake_worker, name="ring"),
    path("series/<slug:slug>/rate-results/", organize_runs.rate_results, name="rate-results"),
    path("series/<slug:slug>/runs/", organize_runs.runs, name="runs"),
    path("series/<slug:slug>/runs/compare/", organize_compare.comparison, name="runs-compare"),
    path("series/<slug:slug>/runs/compare.csv", organize_compare.comparison_csv, name="runs-compare-csv"),
    path("series/<slug:slug>/runs/<int:number>/", organize_runs.run, name="run"),
    path("series/<slug:slug>/runs/<int:number>/cancel/", organize_runs.cancel, name="run-cancel"),
    path("series/<slug:slug>/runs/<int:number>/roll-back/", organize_compare.roll_back, name="run-roll-back"),
    path("series/<slug:slug>/contests/new/", contest_forms.create, name="contest-create"),
    path("series/<slug:slug>/people/", organize_people.people, name="people"),
    path("people/<int:pk>/", organize_person.page, name="person"),
    path("people/<int:pk>/edit/", organize_person.edit, name="person-edit"),
    path("people/<int:pk>/rename/", organize_person.rename, name="person-rename"),
    path("people/<int:pk>/names/", organize_person.add_name, name="person-name"),
    path("people/<int:pk>/names/remove/", organize_person.remove_name, name="person-name-remove"),
    path("people/<int:pk>/merge/", organize_people.merge, name="person-merge"),
    path("merges/<int:pk>/split/", organize_people.split, name="merge-split"),
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
        organize_upload_review.apply_description,
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
    path("contests/<int:pk>/add/", organize_standing.add, name="standing-add"),
    path("standings/<int:pk>/correct/", organize_standing.correct, name="correct"),
    path("standings/<int:pk>/remove/", organize_standing.remove, name="standing-remove"),
]
