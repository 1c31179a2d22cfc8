"""Why a contest changed a rating."""
