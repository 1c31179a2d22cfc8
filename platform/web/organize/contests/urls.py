"""URLs of contests and their rows."""

from django.urls import path

from web.organize.contests import rows, views

urlpatterns = [
    path("c/<series:at>/contests/new/", views.create, name="contest-create"),
    path("contests/<int:pk>/", views.page, name="contest"),
    path("contests/<int:pk>/edit/", views.edit, name="contest-edit"),
    path("contests/<int:pk>/finalize/", views.finalize, name="finalize"),
    path("contests/<int:pk>/delete/", views.delete, name="contest-delete"),
    path("contests/<int:pk>/restore/", views.restore, name="contest-restore"),
    path("contests/<int:pk>/correct/", rows.correct_selected, name="correct-selected"),
    path("contests/<int:pk>/add/", rows.add, name="standing-add"),
    path("standings/<int:pk>/correct/", rows.correct, name="correct"),
    path("standings/<int:pk>/reassign/", rows.reassign, name="standing-reassign"),
    path("standings/<int:pk>/remove/", rows.remove, name="standing-remove"),
]
