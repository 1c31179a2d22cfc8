// Suggestions while typing come here; without them the form still searches.
