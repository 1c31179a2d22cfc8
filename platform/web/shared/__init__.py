"""What the pages of visitors and of organizers have in common."""
