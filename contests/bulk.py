"""
Read and write many rows at once.

PostgreSQL's COPY moves millions of rows in seconds where the ORM needs minutes. Its binary format is a fixed header
and, for each row, a field count and the length and big-endian bytes of each field. For columns of fixed width, that is
one NumPy structured array, written in one piece; reading returns one packed value per column. SQLite gets ordinary
statements. Both take and return the same arrays.

After many writes, PostgreSQL must also update its statistics. It plans queries from its last counts of rows and values,
and counts again by itself about a minute after many rows have changed. Until then, it plans for the tables as they
were. After a first import, it still plans for empty tables, and a page that usually takes milliseconds can take
minutes.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from django.apps import apps
from django.db import connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from django.db.models import Model
    from numpy.typing import NDArray


#: Signature, flags, no header extension (PostgreSQL documentation, "COPY", section "Binary Format").
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_BLOCK = 65_536
#: Objects in one statement on SQLite.
_OBJECTS = 500

#: PostgreSQL's function from a value to its wire format, by dtype.
_SEND = {"i4": "int4send", "i8": "int8send", "f8": "float8send"}

#: PostgreSQL's integer width by Django field type.
_INTEGER_BYTES = {"bigint": 8, "integer": 4, "smallint": 2, "double precision": 8}


def insert_arrays(model: type[Model], columns: Mapping[str, NDArray[Any]]) -> int:
    """
    Insert rows given as columns (field attribute name -> array of integers or floats, no nulls); return their number.

    Other fields get their database defaults. Runs in the caller's transaction.
    """
    names = list(columns)
    arrays = [np.ascontiguousarray(columns[name]) for name in names]
    count = len(arrays[0])
    if any(len(array) != count for array in arrays):
        raise ValueError(f"columns of different lengths: { {n: len(a) for n, a in zip(names, arrays, strict=True)} }")
    if not count:
        return 0
    fields = _fields(model, names)
    if connection.vendor == "postgresql":
        formats = [
            _wire_type(field.rel_db_type(connection) if field.is_relation else field.db_type(connection))
            for field in fields
        ]
        _copy_in(model, [field.column for field in fields], arrays, formats)
    else:
        for start in range(0, count, _BLOCK):
            rows = zip(*(array[start : start + _BLOCK].tolist() for array in arrays), strict=True)
            _insert_many(model, [field.column for field in fields], rows)
    return count


def insert_rows(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of any type, including nulls and bytes: slower than `insert_arrays`, but much faster than the ORM."""
    fields = _fields(model, names)
    columns = [field.column for field in fields]
    if connection.vendor != "postgresql":
        _insert_many(model, columns, rows)
        return
    with connection.cursor() as cursor, cursor.copy(_copy_statement(model, columns)) as copy:
        for row in rows:
            copy.write_row(row)


def insert_objects(objects: Sequence[Model]) -> None:
    """
    Insert new objects of one model with all their fields, and set their primary keys.

    Runs in the caller's transaction, much faster than `bulk_create`, which compiles each value of each row.
    Raises IntegrityError if a constraint is violated.
    """
    if not objects:
        return
    model = type(objects[0])
    if connection.vendor != "postgresql":
        model._base_manager.bulk_create(objects, batch_size=_OBJECTS)
        return
    fields = model._meta.concrete_fields
    with connection.cursor() as cursor:
        for each, key in zip(objects, _new_keys(cursor, model, len(objects)), strict=True):
            each.pk = key
        columns = [str(field.column) for field in fields]
        with connection.wrap_database_errors, cursor.copy(_copy_statement(model, columns)) as copy:
            for each in objects:
                copy.write_row([field.pre_save(each, add=True) for field in fields])
    for each in objects:
        each._state.adding, each._state.db = False, connection.alias


def insert_variants(template: Model, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """
    Insert an object for each row, a copy of the template with other values of the named fields; return their keys.

    Runs in the caller's transaction, faster than `insert_objects`, because only the template is an object.
    Raises IntegrityError if a constraint is violated.
    """
    model = type(template)
    if connection.vendor != "postgresql":
        common = {field.attname: getattr(template, field.attname) for field in model._meta.concrete_fields}
        objects = [model(**{**common, **dict(zip(names, row, strict=True))}) for row in rows]
        return [each.pk for each in model._base_manager.bulk_create(objects, batch_size=_OBJECTS)]
    fields = model._meta.concrete_fields
    position = {field.attname: i for i, field in enumerate(fields)}
    at = [position[name] for name in (model._meta.pk.attname, *names)]
    values = [field.pre_save(template, add=True) for field in fields]
    with connection.cursor() as cursor:
        keys = _new_keys(cursor, model, len(rows))
        statement = _copy_statement(model, [str(field.column) for field in fields])
        with connection.wrap_database_errors, cursor.copy(statement) as copy:
            for key, row in zip(keys, rows, strict=True):
                for i, value in zip(at, (key, *row), strict=True):
                    values[i] = value
                copy.write_row(values)
    return keys


def _new_keys(cursor: Any, model: type[Model], count: int) -> list[int]:
    cursor.execute(
        "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
        [model._meta.db_table, model._meta.pk.column, count],
    )
    return [key for (key,) in cursor.fetchall()]


def insert_missing(model: type[Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of text, numbers and times, and skip those that violate a unique constraint."""
    if not rows:
        return
    fields = _fields(model, names)
    columns = [field.column for field in fields]
    if connection.vendor != "postgresql":
        _insert_many(model, columns, rows, command="INSERT OR IGNORE")
        return
    quote = connection.ops.quote_name
    listed = ", ".join(quote(column) for column in columns)
    # As text, not as varchar(n): a cast would cut a long value that the column rejects.
    types = [_base_type(field.db_type(connection)).replace("varchar", "text") for field in fields]
    arrays = ", ".join(f"%s::{name}[]" for name in types)
    with connection.cursor() as cursor:
        target = f"{quote(model._meta.db_table)} ({listed})"
        cursor.execute(
            f"INSERT INTO {target} SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING",
            [list(column) for column in zip(*rows, strict=True)],
        )


def values_by_key(
    model: type[Model], key: str, value: str, keys: Sequence[Any], *, first: str = "", community: str = ""
) -> dict[Any, Any]:
    """
    Return the value of each row whose key is among the keys, by key, in one query.

    first
        A column whose value takes precedence if it is not null.
    community
        If given, only rows of this community.
    """
    if not keys:
        return {}
    quote = connection.ops.quote_name
    table, key_column, value_column = (quote(name) for name in (model._meta.db_table, key, value))
    if first:
        value_column = f"COALESCE({quote(first)}, {value_column})"
    within, owner = ("community_id = %s AND", [community]) if community else ("", [])
    query = f"SELECT {key_column}, {value_column} FROM {table} WHERE {within} {key_column} "
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"{query} = ANY(%s)", [*owner, list(keys)])
        else:
            cursor.execute(f"{query} IN (SELECT value FROM json_each(%s))", [*owner, json.dumps(list(keys))])
        return dict(cursor.fetchall())


def update_rows(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """
    Update rows by primary key: each row holds the key, then the new values of the named fields.

    The ORM's `bulk_update` builds an expression for every row, which dominates the time for many rows.
    """
    columns = [field.column for field in _fields(model, names)]
    quote = connection.ops.quote_name
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            assigned = ", ".join(f"{quote(column)} = %s" for column in columns)
            values = [(*row[1:], row[0]) for row in rows]
            cursor.executemany(f"UPDATE {table} SET {assigned} WHERE {key} = %s", values)
            return
        listed = ", ".join(quote(column) for column in columns)
        cursor.execute(f"CREATE TEMPORARY TABLE updating ON COMMIT DROP AS SELECT {key}, {listed} FROM {table} LIMIT 0")
        with cursor.copy("COPY updating FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        assigned = ", ".join(f"{quote(column)} = u.{quote(column)}" for column in columns)
        cursor.execute(f"UPDATE {table} AS t SET {assigned} FROM updating u WHERE t.{key} = u.{key}")
        cursor.execute("DROP TABLE updating")


def read_arrays(query: str, parameters: Sequence[Any], dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """
    Run a SELECT whose columns are fixed-width and never null; return one array per column.

    dtypes
        Column name -> ``"i8"``, ``"i4"`` or ``"f8"``, in the order of the query's columns. The query must cast its
        columns to bigint, integer and double precision accordingly.
    """
    if connection.vendor == "postgresql":
        return _packed_columns(query, parameters, dtypes)
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        parts: dict[str, list[NDArray[Any]]] = {name: [np.empty(0, dtype)] for name, dtype in dtypes.items()}
        # In blocks, because a row of Python objects takes ten times the memory of its numbers.
        while rows := cursor.fetchmany(_BLOCK):
            for (name, dtype), column in zip(dtypes.items(), zip(*rows, strict=True), strict=True):
                parts[name].append(np.array(column, dtype=dtype))
    return {name: np.concatenate(blocks) for name, blocks in parts.items()}


def _fields(model: type[Model], names: Iterable[str]) -> list[Any]:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    return [by_name[name] for name in names]


def _wire_type(db_type: str | None) -> str:
    base = _base_type(db_type)
    if base not in _INTEGER_BYTES:
        raise TypeError(f"insert_arrays cannot write a column of type {db_type!r}; use insert_rows")
    return f">f{_INTEGER_BYTES[base]}" if base == "double precision" else f">i{_INTEGER_BYTES[base]}"


def _base_type(db_type: str | None) -> str:
    return (db_type or "").split("(")[0].strip()


def _copy_statement(model: type[Model], columns: Sequence[str], *, binary: bool = False) -> str:
    quote = connection.ops.quote_name
    listed = ", ".join(quote(column) for column in columns)
    return f"COPY {quote(model._meta.db_table)} ({listed}) FROM STDIN" + (" (FORMAT BINARY)" if binary else "")


def _copy_in(model: type[Model], columns: list[str], arrays: list[NDArray[Any]], formats: list[str]) -> None:
    row = np.dtype(
        [("fields", ">i2")] + [part for i, f in enumerate(formats) for part in ((f"n{i}", ">i4"), (f"v{i}", f))]
    )
    with connection.cursor() as cursor, cursor.copy(_copy_statement(model, columns, binary=True)) as copy:
        copy.write(_HEADER)
        for start in range(0, len(arrays[0]), _BLOCK):
            stop = min(start + _BLOCK, len(arrays[0]))
            block = np.empty(stop - start, dtype=row)
            block["fields"] = len(formats)
            for i, (array, wire) in enumerate(zip(arrays, formats, strict=True)):
                block[f"n{i}"] = np.dtype(wire).itemsize
                block[f"v{i}"] = array[start:stop]
            copy.write(block.tobytes())
        copy.write(_TRAILER)


def _insert_many(
    model: type[Model], columns: list[str], rows: Iterable[Sequence[Any]], *, command: str = "INSERT"
) -> None:
    quote = connection.ops.quote_name
    listed = ", ".join(quote(column) for column in columns)
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"{command} INTO {quote(model._meta.db_table)} ({listed}) VALUES ({marks})", list(rows))


def _packed_columns(query: str, parameters: Sequence[Any], dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """
    Let the server pack each column into one value of big-endian numbers.

    COPY would send one message per row, and receiving two million messages takes longer than the query.
    """
    names = ", ".join(f"c{i}" for i in range(len(dtypes)))
    packed = ", ".join(f"string_agg({_SEND[dtype]}(c{i}), ''::bytea)" for i, dtype in enumerate(dtypes.values()))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), {packed} FROM ({query}) AS q ({names})", parameters)
        count, *values = cursor.fetchone()
    columns = {}
    for (name, dtype), value in zip(dtypes.items(), values, strict=True):
        column = np.frombuffer(value or b"", dtype=f">{dtype}")
        if len(column) != count:
            raise ValueError(f"column {name} of {query!r} has nulls")
        columns[name] = column.astype(f"={dtype}")
    return columns


def chunks(values: Sequence[Any], size: int = 900) -> Iterator[Sequence[Any]]:
    """Yield slices of the values for `IN (...)`, because SQLite limits the number of parameters."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


logger = logging.getLogger(__name__)

#: Fewer changed rows than this make no important difference to query plans.
LEAST_WRITTEN = 1_000
#: Analyze a table once this many of its rows have changed, or a tenth of them if that is less.
LEAST_CHANGED = 50_000


def analyze_after_commit(rows: int, *, also: Sequence[type[Model]] = ()) -> None:
    """
    After a transaction that writes this many rows, make PostgreSQL analyze the tables in which many rows changed.

    also
        Models whose tables are analyzed however many other rows they have. If most rows of a series are new, the
        statistics know nothing of it, and PostgreSQL plans as if it had one row.
    """
    if rows >= LEAST_WRITTEN and connection.vendor == "postgresql":
        tables = [model._meta.db_table for model in also]
        # robust: the rows are stored by then, and PostgreSQL analyzes them by itself a little later.
        transaction.on_commit(lambda: _analyze_grown_tables(tables), robust=True)


def analyze_within(*models: type[Model]) -> None:
    """
    Make PostgreSQL analyze these tables in the middle of a transaction that adds to them and searches them.

    It would otherwise plan the searches for tables as small as they were before, and read them from end to end.
    """
    if connection.vendor == "postgresql":
        tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in models)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {tables}")


def _analyze_grown_tables(also: Sequence[str]) -> None:
    tables = [model._meta.db_table for model in apps.get_models()]
    with connection.cursor() as cursor:
        # Flush the counters of this session now, not some seconds later.
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT s.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid"
            " WHERE s.schemaname = current_schema() AND s.relname = ANY(%s)"
            " AND s.n_mod_since_analyze >= greatest(%s, least(%s, c.reltuples / 10))",
            [tables, LEAST_WRITTEN, LEAST_CHANGED],
        )
        grown = {*also, *(table for (table,) in cursor.fetchall())}
        if grown:
            # Skip a table that another session is analyzing right now.
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(map(connection.ops.quote_name, sorted(grown)))}")
            logger.info("analyzed: %s", ", ".join(sorted(grown)))
