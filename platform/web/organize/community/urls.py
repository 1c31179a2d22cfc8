"""URLs of series and their organizers."""

from django.urls import path

from accounts.limits import limited_accounts
from web.organize.community import views

urlpatterns = [
    path("", views.home, name="home"),
    path("c/<series:at>/organizers/", views.page, name="organizers"),
    path("c/<series:at>/organizers/<int:pk>/remove/", views.remove, name="organizer-remove"),
    path("c/<series:at>/invitations/", views.create_invitation, name="invitations"),
    path("invitations/<int:pk>/withdraw/", views.withdraw, name="invitation-withdraw"),
    path("invitations/", views.open_link, name="invitation-open"),
    path("invitations/accept/", limited_accounts(views.accept_opened), name="invitation-accept"),
    path("invitations/<str:token>/", limited_accounts(views.accept), name="invitation"),
]
