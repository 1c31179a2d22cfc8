"""Shown ratings: pure, monotone views of the internal beliefs."""

from ratings.display.mappings import (
    DEFAULT_MAPPING,
    MAPPINGS,
    Fermi,
    Mapping,
    Newcomer,
    Offset,
    Part,
    conservative_factor,
    mapping_from_dict,
    raw_threshold,
    show_band,
    sort_score,
    width_of_pool,
    win_probability_from_shown,
)
from ratings.display.tiers import Tier, Tiers, contrast, default_tiers, ladder_tiers, tiers_from_list

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
