"""Uploaded files: staged, reviewed and saved as standings."""
