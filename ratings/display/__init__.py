"""What players are shown: pure, monotone views of the internal beliefs."""

from ratings.display.mappings import (
    Fermi,
    Mapping,
    Offset,
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
    "Fermi",
    "Mapping",
    "Offset",
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
