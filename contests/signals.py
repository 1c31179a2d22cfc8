"""What `contests` announces, and the questions that it asks."""

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

#: What would these standings do to ratings? Asked while a file is reviewed, with ``contest`` (a draft), ``parsed`` (the
#: contest of the file), ``players`` (who each of its rows is, None for somebody new) and ``at_once`` (whether somebody
#: waits: what takes long is left out then, and said to be). A receiver returns plain JSON values for its own pages,
#: with ``is_left_out`` if it should be asked again without anybody waiting; nothing is stored.
effects_asked = Signal()

#: What players are called changed. Sent by the models inside the transaction that changes it, with ``player_ids``.
names_changed = Signal()
