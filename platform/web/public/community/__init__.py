"""The pages of communities, and the addresses from before there were any."""
