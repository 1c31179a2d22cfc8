"""People who sign in: their accounts, passwords and limits."""
