"""Files that are too large, damaged or not standings: rejected quickly and in little memory."""

from __future__ import annotations

import gzip
import io
import time
import tracemalloc

import pytest

from contests.formats import Report, iter_contests
from tests.contests.formats.reading import one_error, read


class Endless(io.RawIOBase):
    """A file that never ends and counts how much of it was asked for."""

    def __init__(self, line: bytes) -> None:
        self._line, self.given = line, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = (self._line * (size // len(self._line) + 1))[:size]
        self.given += len(content)
        return content


@pytest.mark.parametrize(
    ("magic", "words"),
    [
        (b"PK\x03\x04", "excel"), (b"\xd0\xcf\x11\xe0\xa1\xb1", "old excel"), (b"%PDF-1.7", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "picture"), (b"\xff\xd8\xff\xe0", "picture"), (b"BZh9", "unpack"),
        (b"\x7fELF", "program"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("filename", ["x.csv", "x.json", "x.jsonl", "x.xlsx", "x"])
def test_the_message_names_files_of_other_kinds(magic, words, filename):
    assert words in one_error(magic + bytes(range(256)), filename).message.lower()


@pytest.mark.parametrize("filename", ["x.csv", "x.json"])
def test_zero_bytes_in_a_text_are_named_by_line(filename):
    assert one_error(b'{"a":\n"\0' + b"abc" * 30 + b'"}', filename).row == 2


@pytest.mark.parametrize("filename", ["x.csv", "x.json", "x.jsonl"])
def test_a_stream_that_never_ends_is_given_up_at_the_limit(filename):
    endless = Endless(b'{"id":"x","standings":[]}\n')
    report = Report()
    assert list(iter_contests(endless, filename=filename, report=report, max_bytes=100_000)) == []
    assert "larger than" in report.errors[0].message
    assert endless.given <= 2 * 100_000 + 2**18


def test_a_file_of_200_mb_is_refused_by_its_size_alone(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    report = Report()
    tracemalloc.start()
    try:
        assert list(iter_contests(path, filename=path.name, report=report)) == []
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert "64 MB" in report.errors[0].message


@pytest.mark.parametrize("filename", ["x.csv.gz", "x.json.gz", "x.jsonl.gz"])
def test_a_gzip_bomb_is_unpacked_no_further_than_the_limit(filename):
    bomb = gzip.compress(b"                \n" * 1_000_000)
    assert len(bomb) < 100_000
    _, report = read(bomb, filename, max_bytes=2**20)
    assert "larger than the 1 MB" in report.errors[0].message


def test_a_gzip_file_that_is_cut_off_or_twice_packed_is_refused():
    whole = gzip.compress(b"rank,handle\n" + b"".join(b"%d,p%d\n" % (i, i) for i in range(1, 5_000)))
    assert "cut off" in one_error(whole[:-500], "x.csv.gz").message
    assert "twice" in one_error(gzip.compress(whole), "x.csv.gz").message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"rank,handle\n1," + b"a" * 10_000_000, "more than"),
        (b'rank,handle\n1,"' + b"a" * 500_000, "more than"),
        (b",".join(b"c%d" % i for i in range(10_000)) + b"\n1\n", "10,000 cells"),
        (b"rank,handle\n" + b"\n" * 30_000_000, "lines"),
        (b"rank,handle\n" + b"1,a\n" * 200_001, "200,000 rows"),
        (b"{]\n" * 5_000_000, "errors"),
        (b"{}\n" * 1_500_000, "errors"),
        (b"\n" * 30_000_000 + b"{}", "lines"),
        (b"{" * 3_000_000, "times"),
    ],
)
def test_files_that_would_take_too_long_are_refused_quickly(content, words):
    started = time.process_time()
    name = "x.csv" if content.startswith((b"rank", b"c0")) else "x.jsonl" if b"\n" in content else "x.json"
    _, report = read(content, name)
    assert time.process_time() - started < 5
    assert any(words in problem.message for problem in report.errors)


def test_a_contest_of_too_many_rows_is_refused_in_json_too():
    line = b'{"id":"x","standings":[' + b",".join(b'["p%d",1,null]' % i for i in range(101)) + b"]}"
    assert "101 standings" in one_error(line, "x.jsonl", max_rows=100).message
    assert len(read(line, "x.jsonl", max_rows=101)[0]) == 1


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    report = Report()
    assert list(iter_contests(tmp_path / "gone.csv", filename="gone.csv", report=report)) == []
    assert "cannot be opened" in report.errors[0].message


@pytest.mark.parametrize("filename", ["standings", "standings.dat", "standings.gz"])
def test_the_content_tells_the_format_where_the_extension_does_not(filename):
    assert read(b"rank;handle\n1;a\n", filename)[0][0].standings[0].handle == "a"
    line = b'{"id":"x","end_time":"2020-01-01","standings":[["a",1,1]]}\n'
    assert read(line, filename)[0][0].key == "x"
    assert read(b"[" + line + b"]", filename)[0][0].key == "x"
