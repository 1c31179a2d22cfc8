"""Explanations of a rating change."""
