"""Code that the pages of visitors and of organizers share."""
