"""The rating systems, one module each, and the steps that they share."""
