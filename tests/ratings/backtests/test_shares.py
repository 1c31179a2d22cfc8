"""Archives with shares of play and handicaps."""

from __future__ import annotations

from ratings.backtests.archive import read_archive
from ratings.systems import SYSTEMS, backtest, get_system

TABLE = "rank,handle,team,share,handicap\n1,ann,a,{share},{points}\n1,bob,a,,{points}\n2,eve,b,,\n2,kim,b,,\n"


def archive_of(tmp_path, **terms):
    path = tmp_path / "contest.csv"
    path.write_text(TABLE.format(**{"share": "", "points": "", **terms}))
    return read_archive([path])


def test_every_system_rates_shares_and_the_digest_includes_them(tmp_path):
    plain, partial = archive_of(tmp_path), archive_of(tmp_path, share="0.5")
    handicapped, both = archive_of(tmp_path, points="50"), archive_of(tmp_path, share="0.5", points="50")
    assert len({each.digest() for each in (plain, partial, handicapped, both)}) == 4
    assert archive_of(tmp_path, share="1", points="0").digest() == plain.digest()
    for name, system in SYSTEMS.items():
        if system.rates_teams:
            contest = both.for_system(system)[0]
            assert (contest.play is not None) == (name == "trueskill")
            assert contest.handicap is not None
            assert backtest(get_system(name), both.for_system(system), 4, 0).contests == 1
