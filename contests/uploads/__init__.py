"""From a received file to saved standings."""
