"""URLs of standings files."""

from django.urls import path

from web.organize.uploads import corrections, people, review, views

urlpatterns = [
    path("contests/<int:pk>/upload/", views.upload, name="upload"),
    path("contests/<int:pk>/review/<slug:token>/", review.review, name="review"),
    path("contests/<int:pk>/review/<slug:token>/read/", views.read, name="review-read"),
    path("contests/<int:pk>/review/<slug:token>/people/", people.decide_people, name="review-decide-people"),
    path("contests/<int:pk>/review/<slug:token>/correct/", corrections.correct_rows, name="review-correct"),
    path("contests/<int:pk>/review/<slug:token>/who/", people.ask_who, name="review-ask-who"),
    path("contests/<int:pk>/review/<slug:token>/take-over/", views.apply_description, name="review-apply-description"),
    path("contests/<int:pk>/review/<slug:token>/add-missing/", views.add_missing, name="review-add-missing"),
    path("contests/<int:pk>/review/<slug:token>/now/", views.read_now, name="review-now"),
    path("contests/<int:pk>/review/<slug:token>/save/", views.save, name="review-save"),
    path("contests/<int:pk>/review/<slug:token>/discard/", views.discard, name="review-discard"),
    path("contests/<int:pk>/review/<slug:token>/remarks/", views.remarks, name="review-remarks"),
    path("contests/<int:pk>/review/<slug:token>/progress.json", views.progress_json, name="review-progress"),
]
