"""Kernels, roots and sums: numerical methods that know nothing of ratings."""
