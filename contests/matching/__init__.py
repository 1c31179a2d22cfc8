"""Matching the names in files to known players."""
