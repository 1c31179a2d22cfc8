"""Common given and family names of many languages, for people who do not exist.

Names that are not written in Latin letters stand as "native/romanized"; the romanized form goes into handles. Where
family names agree with the gender of the bearer, women and men have entries of their own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """Names that go together.

    countries
        "ES3 MX2": ISO 3166 alpha-2 codes, each with its share.
    given, family
        Separated by spaces.
    schools
        Fictional affiliations, separated by "|".
    share
        How many of these people there are in the community, relative to other languages.
    """

    countries: str
    given: str
    family: str
    schools: str = ""
    share: float = 1.0
    family_first: bool = False
    joined: bool = False
    """Family and given name are written without a space between them."""
