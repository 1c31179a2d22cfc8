"""Communities: the groups that run contests together and share their players, and the people who act in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

#: The greatest length of the slug of a community, which is part of the addresses of its pages.
LONGEST_SLUG = 40


class Visibility(models.TextChoices):
    PUBLIC = "public", "public"
    UNLISTED = "unlisted", "unlisted"
    PRIVATE = "private", "private"


class Role(models.TextChoices):
    OWNER = "owner", "owner"
    ORGANIZER = "organizer", "organizer"
    VIEWER = "viewer", "viewer"


class CommunityQuerySet(models.QuerySet["Community"]):
    def listed(self) -> CommunityQuerySet:
        """Return the communities that lists and searches of the whole site show to everyone."""
        return self.filter(visibility=Visibility.PUBLIC)

    def visible_to(self, user: User | AnonymousUser) -> CommunityQuerySet:
        """Return the communities whose pages the visitor may open: all but the private ones of others."""
        if user.is_authenticated and user.is_staff:
            return self.all()
        return self.filter(~Q(visibility=Visibility.PRIVATE) | Q(pk__in=Community.objects.joined_by(user)))

    def organized_by(self, user: User | AnonymousUser) -> CommunityQuerySet:
        """Return the communities in which the user may create series and change every player: all for staff."""
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self.all()
        members = Membership.objects.filter(user=user, role__in=(Role.OWNER, Role.ORGANIZER))
        return self.filter(pk__in=members.values("community"))

    def joined_by(self, user: User | AnonymousUser) -> CommunityQuerySet:
        """Return the communities in which the visitor has a role, or organizes a series."""
        if not user.is_authenticated:
            return self.none()
        organized = Community.objects.filter(series__organizers=user).values("pk")
        return self.filter(Q(pk__in=Membership.objects.filter(user=user).values("community")) | Q(pk__in=organized))


class Community(models.Model):
    """
    A group that runs contests together: a club, a judge, a league, a federation.

    It owns its series, players, other names and uploads. The slug is the primary key, so that rows of players and
    series hold what addresses need; it never changes (docs/decisions/0017-communities.md).
    """

    slug = models.CharField(
        max_length=LONGEST_SLUG,
        primary_key=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9]+(-[a-z0-9]+)*\Z",
                "Use lower-case letters, digits and single hyphens between them, such as “harbour-club”.",
            )
        ],
    )
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="", db_default="")
    visibility = models.CharField(
        max_length=10, choices=Visibility, default=Visibility.PUBLIC, db_default=Visibility.PUBLIC
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CommunityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "communities"
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="community_has_a_name"),
            models.CheckConstraint(condition=Q(visibility__in=Visibility.values), name="community_visibility_is_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("community", args=[self.slug])


class Membership(models.Model):
    """
    The role of a person in a community.

    Owners manage members and may delete; organizers change series, contests and players; viewers read what is private.
    People who organize only some of its series are organizers of these (`Series.organizers`) instead.
    """

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["community", "user"], name="member_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.community_id}"
