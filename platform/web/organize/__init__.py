"""Organizers' pages, one folder per feature."""
