"""Who is meant by a handle, and which names are nearly alike."""
