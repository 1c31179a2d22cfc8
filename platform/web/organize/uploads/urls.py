"""Addresses: files of standings."""

from django.urls import path

from web.organize.uploads import preview_views, review_views, views

urlpatterns = [
    path("contests/<int:pk>/upload/", views.upload, name="upload"),
    path("contests/<int:pk>/review/<slug:token>/", preview_views.review, name="review"),
    path("contests/<int:pk>/review/<slug:token>/read/", review_views.read, name="review-read"),
    path("contests/<int:pk>/review/<slug:token>/people/", review_views.decide_people, name="review-people"),
    path("contests/<int:pk>/review/<slug:token>/take-over/", review_views.apply_description, name="review-take-over"),
    path("contests/<int:pk>/review/<slug:token>/now/", review_views.read_now, name="review-now"),
    path("contests/<int:pk>/review/<slug:token>/save/", review_views.save, name="review-save"),
    path("contests/<int:pk>/review/<slug:token>/discard/", review_views.discard, name="review-discard"),
    path("contests/<int:pk>/review/<slug:token>/remarks/", review_views.remarks, name="review-annotated"),
    path("contests/<int:pk>/review/<slug:token>/progress.json", review_views.progress_json, name="review-progress"),
]
