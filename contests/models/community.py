"""Communities: the groups that run contests together and share their players, and the people who act in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

#: The greatest length of the slug of a community, which is part of the addresses of its pages.
LONGEST_SLUG = 40


class Visibility(models.TextChoices):
    PUBLIC = "public", pgettext_lazy("visibility", "public")
    UNLISTED = "unlisted", pgettext_lazy("visibility", "unlisted")
    PRIVATE = "private", pgettext_lazy("visibility", "private")


class Licence(models.TextChoices):
    """Licences of the data of a community, by their SPDX identifiers."""

    CC0 = "CC0-1.0", gettext_lazy("CC0 1.0 (public domain)")
    CC_BY = "CC-BY-4.0", gettext_lazy("CC BY 4.0 (attribution)")
    CC_BY_SA = "CC-BY-SA-4.0", gettext_lazy("CC BY-SA 4.0 (attribution, share alike)")
    CC_BY_NC = "CC-BY-NC-4.0", gettext_lazy("CC BY-NC 4.0 (attribution, non-commercial)")
    ODBL = "ODbL-1.0", gettext_lazy("ODbL 1.0 (open database)")


#: The text of each licence.
LICENCE_ADDRESSES = {
    Licence.CC0: "https://creativecommons.org/publicdomain/zero/1.0/",
    Licence.CC_BY: "https://creativecommons.org/licenses/by/4.0/",
    Licence.CC_BY_SA: "https://creativecommons.org/licenses/by-sa/4.0/",
    Licence.CC_BY_NC: "https://creativecommons.org/licenses/by-nc/4.0/",
    Licence.ODBL: "https://opendatacommons.org/licenses/odbl/1-0/",
}


class Role(models.TextChoices):
    OWNER = "owner", pgettext_lazy("role", "owner")
    ORGANIZER = "organizer", pgettext_lazy("role", "organizer")
    VIEWER = "viewer", pgettext_lazy("role", "viewer")


@dataclass(frozen=True, slots=True)
class CommunityReader:
    """
    A program with a token of a community. It may read what a viewer of that community may read.

    The functions of `contests.queries.visibility` accept it where they accept a user. It has no other attributes of a
    user: mypy finds code that was written for people only, and such code fails instead of mistaking the program for an
    anonymous visitor.
    """

    community_id: str
    is_authenticated: Literal[True] = True
    is_staff: Literal[False] = False


if TYPE_CHECKING:
    #: Anyone whose right to read is checked.
    Visitor = User | AnonymousUser | CommunityReader


class CommunityQuerySet(models.QuerySet["Community"]):
    def listed(self) -> CommunityQuerySet:
        """Return the communities that lists and searches of the whole site show to everyone."""
        return self.filter(visibility=Visibility.PUBLIC)

    def visible_to(self, user: Visitor) -> CommunityQuerySet:
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

    def owned_by(self, user: User | AnonymousUser) -> CommunityQuerySet:
        """Return the communities whose members and settings the user may change: all for staff."""
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self.all()
        return self.filter(pk__in=Membership.objects.filter(user=user, role=Role.OWNER).values("community"))

    def joined_by(self, user: Visitor) -> CommunityQuerySet:
        """Return the communities in which the visitor has a role or organizes a series; for a program, its own."""
        if isinstance(user, CommunityReader):
            return self.filter(pk=user.community_id)
        if not user.is_authenticated:
            return self.none()
        organized = Community.objects.filter(series__organizers=user).values("pk")
        return self.filter(Q(pk__in=Membership.objects.filter(user=user).values("community")) | Q(pk__in=organized))


class Community(models.Model):
    """
    A group that runs contests together: a club, an online judge, a league, a federation.

    It owns its series, players, other names and uploads. The slug is the primary key, so that rows of players and
    series hold what addresses need; it never changes (docs/decisions/0017-communities.md).
    """

    slug = models.CharField(
        max_length=LONGEST_SLUG,
        primary_key=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9]+(-[a-z0-9]+)*\Z",
                gettext_lazy("Use lower-case letters, digits and single hyphens between them, such as “harbour-club”."),
            )
        ],
    )
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="", db_default="")
    visibility = models.CharField(
        max_length=10, choices=Visibility, default=Visibility.PUBLIC, db_default=Visibility.PUBLIC
    )
    website = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        validators=[
            URLValidator(
                ["http", "https"],
                message=gettext_lazy("Enter the whole address of the website, such as https://example.org/."),
            )
        ],
    )
    accent = models.CharField(
        max_length=7,
        blank=True,
        default="",
        db_default="",
        validators=[
            RegexValidator(
                r"^#[0-9a-f]{6}\Z",
                gettext_lazy("Enter the accent colour as # and six hexadecimal digits, such as #1a7f37."),
            )
        ],
        help_text="colour of links and buttons on the community's pages, such as #1a7f37",
    )
    licence = models.CharField(
        max_length=20,
        choices=Licence,
        blank=True,
        default="",
        db_default="",
        help_text="licence of results and ratings",
    )
    names_first = models.BooleanField(
        default=True, db_default=True, help_text="pages show the real name of a player first, and the handle second"
    )
    logo = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="hash of the logo; empty if none",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CommunityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "communities"
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="community_has_a_name"),
            models.CheckConstraint(condition=Q(visibility__in=Visibility.values), name="community_visibility_is_known"),
            models.CheckConstraint(condition=Q(licence__in=["", *Licence.values]), name="community_licence_is_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("community", args=[self.slug])

    @property
    def website_host(self) -> str:
        """The host name of the website, for the text of links to it."""
        return urlsplit(self.website).hostname or self.website

    @property
    def licence_address(self) -> str:
        """The address of the licence's text; empty without a licence."""
        return LICENCE_ADDRESSES[Licence(self.licence)] if self.licence else ""


class CommunityLogo(models.Model):
    """The logo of a community in one size: a square PNG file, in pixels."""

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="logos", db_index=False)
    size = models.PositiveSmallIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["community", "size"], name="logo_once_in_each_size")]

    def __str__(self) -> str:
        return f"{self.community_id}, {self.size} px"


class Membership(models.Model):
    """
    The role of a person in a community.

    Owners manage members and may delete the community; organizers change series, contests and players; viewers read
    private pages. People who organize only some of its series are organizers of these (`Series.organizers`) instead.
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
