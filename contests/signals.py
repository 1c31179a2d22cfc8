"""What `contests` announces, and the one question that it asks."""

from django.dispatch import Signal

#: Results changed. Sent inside the transaction that changes them, with
#: ``series_id``, ``since`` (the end time of the earliest contest whose rated content changed, aware UTC), ``cause``
#: (a short sentence for the list of runs) and ``actor`` (a user or None). A receiver may raise ContestError to refuse
#: the change.
results_changed = Signal()

#: Who is not eligible? Asked inside the transaction that finalizes a contest with rating limits, with ``contest``
#: (whose rows are stored). A receiver returns the ids of the players whose rating, as shown when the contest begins,
#: lies outside the limits: they are out of competition, for good.
eligibility_asked = Signal()
