"""URLs of players."""

from django.urls import path

from web.organize.people import duplicates, person, views

urlpatterns = [
    path("c/<series:at>/people/", views.people, name="people"),
    path("c/<series:at>/people/duplicates/", duplicates.search, name="people-duplicates"),
    path("c/<series:at>/people/duplicates/progress.json", duplicates.progress, name="people-duplicates-progress"),
    path("people/<int:pk>/", person.page, name="person"),
    path("people/<int:pk>/edit/", person.edit, name="person-edit"),
    path("people/<int:pk>/rename/", person.rename, name="person-rename"),
    path("people/<int:pk>/names/", person.add_name, name="person-name"),
    path("people/<int:pk>/names/remove/", person.remove_name, name="person-name-remove"),
    path("people/<int:pk>/merge/", views.merge, name="person-merge"),
    path("people/<int:pk>/picture/", person.picture, name="person-picture"),
    path("people/<int:pk>/account/", person.invite, name="person-account"),
    path("people/<int:pk>/account/unlink/", person.unlink, name="person-unlink"),
    path("merges/<int:pk>/split/", views.split, name="merge-split"),
]
