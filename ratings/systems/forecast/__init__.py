"""What a coming contest may bring."""
