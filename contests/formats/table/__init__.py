"""Delimited text tables."""
