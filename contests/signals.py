"""What `contests` announces."""

from django.dispatch import Signal

#: Results changed. Sent inside the transaction that changes them, with
#: ``series_id``, ``since`` (the end time of the earliest contest whose rated content changed, aware UTC), ``cause``
#: (a short sentence for the list of runs) and ``actor`` (a user or None). A receiver may raise ContestError to refuse
#: the change.
results_changed = Signal()

#: What players are called changed. Sent by the models inside the transaction that changes it, with ``player_ids``.
names_changed = Signal()
