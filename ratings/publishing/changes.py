"""Changes of a series' rating scheme and of its runs, as values that can be proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from contests.changes import Change, Words
from contests.errors import ContestError
from contests.models import Contest, Series
from ratings.descriptions import description_of
from ratings.models import Run, Scheme
from ratings.publishing.scheme_differences import differences
from ratings.publishing.schemes import choose_scheme, previewed_scheme
from ratings.publishing.undoing import causes_since, take_out

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_LASTS = (
    "The next results build on that: what is taken out does not come back. If nothing else has changed, ratings are "
    "those of that run again."
)


@dataclass(frozen=True)
class ChooseScheme(Change):
    """
    Rate a series, or show its ratings, another way.

    version
        Of the scheme that its organizer looked at; 0 for none.
    system, parameters, display, tiers
        As `choose_scheme` takes them; tiers None for those that suit.
    leagues, season
        Likewise; None for those in force.
    """

    kind = "scheme.choose"

    series_id: int
    version: int
    system: str
    parameters: dict[str, Any]
    display: dict[str, Any]
    tiers: list[dict[str, Any]] | None = None
    leagues: dict[str, Any] | None = None
    season: dict[str, Any] | None = None

    @property
    def moves_ratings(self) -> bool:  # type: ignore[override]  # whether it does depends on what is chosen
        """Whether anything has to be rated again: not for another display, other tiers, leagues or season points."""
        old = Scheme.objects.newest(self.series_id)
        if old is None or old.rates_alike(self.foreseen()):
            return False
        return Contest.objects.rated().filter(series=self.series_id).exists()

    def words(self) -> Words:
        series = Series.objects.filter(pk=self.series_id).first()
        if series is None:
            raise ContestError("This series is not there any more.")
        old, new = Scheme.objects.newest(self.series_id), self.foreseen()
        by = description_of(new.system).in_words
        is_another = old is None or old.system != new.system
        is_rated_otherwise = is_another or (old is not None and not old.has_points_of(new))
        return Words(
            title=f"Rate {series.name} by {by}"
            if is_another
            else f"Change how {series.name} is {_deed(is_rated_otherwise)}",
            button="Change",
            done=f"“{series.name}” is being rated again by {by}." if self.moves_ratings else "Saved.",
            back=reverse("organize:scheme", args=[series.slug]),
            series=[series],
            differences=differences(old, new) if old is not None else (),
        )

    def apply(self, *, actor: User | None) -> None:
        choose_scheme(
            self.series_id,
            system=self.system,
            parameters=self.parameters,
            display=self.display,
            tiers=self.tiers,
            leagues=self.leagues,
            season=self.season,
            reason=self.reason,
            version=self.version,
            actor=actor,
        )

    def foreseen(self) -> Scheme:
        """Return, unsaved, the version that it would make."""
        return previewed_scheme(
            self.series_id,
            system=self.system,
            parameters=self.parameters,
            display=self.display,
            tiers=self.tiers,
            leagues=self.leagues,
            season=self.season,
        )


@dataclass(frozen=True)
class TakeOutCauses(Change):
    """
    Go back to the ratings of a run by taking back what has changed them since.

    run
        Its number.
    keys
        Of the causes that are taken out, as `causes_since` has them.
    """

    kind = "run.take_out"

    series_id: int
    run: int
    keys: list[str]

    def words(self) -> Words:
        restored = self._restored()
        causes = [cause for cause in causes_since(restored) if cause.key in self.keys]
        if len(causes) < len(self.keys):
            raise ContestError("The changes since that run are others by now; open the page of the roll-back again.")
        count = "1 change" if len(causes) == 1 else f"{len(causes)} changes"
        return Words(
            title=f"Roll back to run {self.run} and take out {count}",
            button="Take out and rate again",
            done=f"{count} taken out. The series is being rated without {'it' if len(causes) == 1 else 'them'}.",
            back=reverse("organize:run-roll-back", args=[restored.series.slug, self.run]),
            after=reverse("organize:runs", args=[restored.series.slug]),
            series=[restored.series],
            lines=[*(f"{cause.words}: {_in_sentence(cause.remedy)}" for cause in causes), _LASTS],
            is_dangerous=any(cause.key.startswith("delete") for cause in causes),
        )

    def apply(self, *, actor: User | None) -> None:
        take_out(self._restored(), self.keys, reason=self.reason, actor=actor)

    def _restored(self) -> Run:
        runs = Run.objects.published().select_related("scheme", "series")
        restored = runs.filter(series=self.series_id, number=self.run).first()
        if restored is None:
            raise ContestError(f"There is no published run {self.run} to go back to.")
        return restored


def _in_sentence(text: str) -> str:
    return text[:1].lower() + text[1:]


def _deed(is_rated_otherwise: bool) -> str:
    return "rated" if is_rated_otherwise else "ordered and shown"
