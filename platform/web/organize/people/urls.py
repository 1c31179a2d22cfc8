"""URLs of players."""

from django.urls import path

from web.organize.people import accounts, duplicates, pictures, views

urlpatterns = [
    path("c/<series:at>/people/", views.people, name="people"),
    path("c/<series:at>/people/duplicates/", duplicates.search, name="people-duplicates"),
    path("c/<series:at>/people/duplicates/progress.json", duplicates.progress, name="people-duplicates-progress"),
    path("people/<int:pk>/", views.page, name="person"),
    path("people/<int:pk>/edit/", views.edit, name="person-edit"),
    path("people/<int:pk>/rename/", views.rename, name="person-rename"),
    path("people/<int:pk>/names/", views.add_name, name="person-name"),
    path("people/<int:pk>/names/remove/", views.remove_name, name="person-name-remove"),
    path("people/<int:pk>/merge/", views.merge, name="person-merge"),
    path("people/<int:pk>/picture/", pictures.picture, name="person-picture"),
    path("people/<int:pk>/account/", accounts.invite, name="person-account"),
    path("people/<int:pk>/account/unlink/", accounts.unlink, name="person-unlink"),
    path("merges/<int:pk>/split/", views.split, name="merge-split"),
]
