"""Colours as seen with a colour vision deficiency, and the perceived difference between two colours.

Simulation: Machado, Oliveira, Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", the published matrices for severity 1.0, applied to linear RGB. Difference: CIEDE2000 (CIE 142-2001).
"""

from __future__ import annotations

import numpy as np

VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}

SRGB_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
# https://bottosson.github.io/posts/oklab/
LINEAR_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LMS_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
WHITE_D65 = np.array([0.95047, 1.0, 1.08883])


def lab_as_seen(colour: str, vision: str) -> np.ndarray:
    """CIELAB of a colour "#rrggbb" after the simulation."""
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = SRGB_TO_XYZ @ np.clip(VISIONS[vision] @ linear, 0, 1) / WHITE_D65
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def oklch(colour: str) -> tuple[float, float, float]:
    """Lightness, chroma and hue in degrees of a colour "#rrggbb" (Ottosson 2020, with the published matrices)."""
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    lms = np.cbrt(LINEAR_TO_LMS @ np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4))
    lightness, a, b = LMS_TO_OKLAB @ lms
    return float(lightness), float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)) % 360)


def difference(first: str, second: str, vision: str) -> float:
    """CIEDE2000 between two colours as seen."""
    return ciede2000(lab_as_seen(first, vision), lab_as_seen(second, vision))


def ciede2000(first: np.ndarray, second: np.ndarray) -> float:
    """CIEDE2000 with unit weights, after Sharma, Wu, Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    c_mean7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(c_mean7 / (c_mean7 + 25.0**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, stretch * a1)) % 360, np.degrees(np.arctan2(b2, stretch * a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = (
        -np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2)))) * 2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    )
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, d_hue / s_h
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh))
