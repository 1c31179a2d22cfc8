"""Signals of `contests`."""

from django.dispatch import Signal

#: Results changed. Sent in the transaction that changes them, with ``series_id``, ``since`` (the end time of the
#: earliest contest whose rated content changed, aware UTC), ``cause`` (a short sentence for the list of runs) and
#: ``actor`` (a user or None). A receiver may raise ContestError to refuse the change.
results_changed = Signal()
