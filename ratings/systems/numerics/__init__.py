"""Numerical methods that do not depend on ratings: interpolation, roots, sums and truncated distributions."""
