"""All writes to results. Each service is one transaction, writes an audit entry, and announces changed results."""
