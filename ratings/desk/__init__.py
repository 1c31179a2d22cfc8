"""What the organizer's pages of ratings are made of: forms, comparisons and words about schemes and runs."""
