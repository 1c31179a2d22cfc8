"""Displayed ratings: pure, monotone views of the internal beliefs."""

from ratings.display.colours import contrast
from ratings.display.mappings import (
    DEFAULT_MAPPING,
    MAPPINGS,
    Mapping,
    Newcomer,
    Part,
    mapping_from_dict,
    raw_threshold,
    register_all,
    show_band,
)
from ratings.display.mappings.fermi import Fermi, win_probability_from_shown
from ratings.display.mappings.offset import Offset
from ratings.display.scores import conservative_factor, sort_score, width_of_pool
from ratings.display.tier_sets import default_tiers, ladder_tiers
from ratings.display.tiers import Tier, Tiers, tiers_from_list

__all__ = [
    "DEFAULT_MAPPING",
    "MAPPINGS",
    "Fermi",
    "Mapping",
    "Newcomer",
    "Offset",
    "Part",
    "Tier",
    "Tiers",
    "conservative_factor",
    "contrast",
    "default_tiers",
    "ladder_tiers",
    "mapping_from_dict",
    "raw_threshold",
    "show_band",
    "sort_score",
    "tiers_from_list",
    "width_of_pool",
    "win_probability_from_shown",
]

register_all()
