"""URLs of communities, their members, and the organizers of series."""

from django.urls import path

from accounts.limits import limited_accounts
from web.organize.community import communities, default_tiers, members, tokens, views

urlpatterns = [
    path("", views.home, name="home"),
    path("communities/new/", communities.create, name="community-create"),
    path("c/<slug:community>/", communities.page, name="community"),
    path("c/<slug:community>/settings/", communities.settings, name="community-settings"),
    path("c/<slug:community>/tiers/", default_tiers.page, name="community-tiers"),
    path("c/<slug:community>/delete/", communities.delete, name="community-delete"),
    path("c/<slug:community>/members/", members.page, name="members"),
    path("c/<slug:community>/members/<int:pk>/role/", members.change_role, name="member-role"),
    path("c/<slug:community>/members/<int:pk>/remove/", members.remove, name="member-remove"),
    path("c/<slug:community>/leave/", members.leave, name="community-leave"),
    path("c/<slug:community>/invitations/", members.create_invitation, name="member-invitations"),
    path("c/<slug:community>/tokens/", tokens.page, name="tokens"),
    path("c/<slug:community>/tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("c/<series:at>/organizers/", views.page, name="organizers"),
    path("c/<series:at>/organizers/<int:pk>/remove/", views.remove, name="organizer-remove"),
    path("c/<series:at>/invitations/", views.create_invitation, name="invitations"),
    path("invitations/<int:pk>/withdraw/", views.withdraw, name="invitation-withdraw"),
    path("invitations/", views.open_link, name="invitation-open"),
    path("invitations/accept/", limited_accounts(views.accept_opened), name="invitation-accept"),
    path("invitations/<str:token>/", views.old_link, name="invitation-old"),
]
