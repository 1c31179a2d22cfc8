"""All writes to results. Each service is one transaction, leaves an audit entry, and announces what it changed."""
