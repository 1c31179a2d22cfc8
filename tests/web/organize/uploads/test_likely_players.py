"""Known players whom a review proposes for new handles, because their names agree; saving asks about each once."""

from __future__ import annotations

import pytest

from tests.factories import make_contest, make_player
from tests.pages import Page
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import handles

pytestmark = pytest.mark.django_db


def test_players_whose_name_and_country_agree_are_proposed_and_saving_asks_once(organizer, series, draft):
    anna = make_player("anna-m", name="Anna Müller", country="DE")
    twins = [make_player(f"twin{i}", name="Wei Zhang", country="CN") for i in (1, 2)]
    make_contest(series, standings=[("anna-m", 1), ("twin1", 2), ("twin2", 3)])
    rows = 'rank,handle,name,country\n1,am,"MULLER, Anna",DE\n2,wz,Zhang Wei,CN\n3,am2,Anna Müller,AT\n4,new,A B,FR\n'
    review = upload(organizer, draft, rows)
    likely = {person.handle: person.likely_id for person in review.context["review"].unmatched}
    assert likely == {"am": anna.pk, "wz": None, "am2": None, "new": None}, twins
    assert review.context["review"].counts.new_players == 3, "the preselected player is not new"
    assert [row.player_id for row in review.context["review"].rows] == [anna.pk, None, None, None]
    assert "If you don’t, Podium will ask before saving" in Page(review).text
    assert not any("different name" in each.message for each in review.context["review"].warnings), "nothing is decided"
    assert f'value="player-{anna.pk}" checked' in " ".join(review.content.decode().split())
    asked = press(organizer, review, "save", version=draft.version)
    assert asked.redirect_chain[-1][0].endswith("/who/")
    assert {person.handle for person in asked.context["people"]} == {"am", "wz"}
    text = " ".join(asked.content.decode().split())
    assert f'required value="player-{anna.pk}" checked' in text
    assert 'value="new" required> ' in text, "no choice is made for the others: one click would add them twice"
    assert text.count(" checked") == 1
    assert not draft.standings.exists(), "nothing is chosen silently"
    answer = press(organizer, review, "save", version=draft.version, asked=1, handle_0="wz")
    assert answer.redirect_chain[-1][0].endswith("/who/"), "nor without an answer, as a program could send it"
    assert "Choose the right player for each handle." in Page(answer).text
    assert not draft.standings.exists()
    save(organizer, review)
    assert handles(draft) == ["anna-m", "wz", "am2", "new"]


@pytest.mark.parametrize(
    ("handle", "country", "is_likely"),
    [
        ("Lewis Hamilton", "", True),
        ("HAMILTON, Lewis", "GB", True),
        ("Lewis Hamilton", "FR", True),
        ("lewishamilton", "GB", False),
        ("Lewis Hamiltun", "", False),
    ],
)
def test_names_of_several_words_are_proposed_without_countries(organizer, series, draft, handle, country, is_likely):
    known = make_player("lewis-hamilton")
    make_contest(series, standings=[("lewis-hamilton", 1), ("other", 2)])
    review = upload(organizer, draft, f'rank,handle,country\n1,"{handle}",{country}\n2,other,\n')
    assert [row.likely_id for row in review.context["review"].unmatched] == [known.pk if is_likely else None]


def test_a_player_with_a_different_name_is_not_proposed_for_the_same_letters_in_the_handle(organizer, series, draft):
    make_player("j-smith", name="John Smith")
    make_contest(series, standings=[("j-smith", 1), ("other", 2)])
    review = upload(organizer, draft, "rank,handle,name\n1,jsmith,Jane Smith\n2,other,\n")
    assert [row.likely_id for row in review.context["review"].unmatched] == [None]


def test_names_of_several_words_in_different_countries_are_not_proposed(organizer, series, draft):
    make_player("lewis-hamilton", country="GB")
    make_contest(series, standings=[("lewis-hamilton", 1), ("other", 2)])
    review = upload(organizer, draft, "rank,handle,country\n1,Lewis Hamilton,FR\n2,other,\n")
    assert [row.likely_id for row in review.context["review"].unmatched] == [None]


def test_a_handle_of_one_word_that_differs_in_accents_is_proposed_in_the_same_country(organizer, series, draft):
    nunez = make_player("Nuñez", country="ES")
    make_contest(series, standings=[("Nuñez", 1), ("other", 2)])
    review = upload(organizer, draft, "rank,handle,country\n1,Nunez,ESP\n2,other,\n")
    assert [person.likely_id for person in review.context["review"].unmatched] == [nunez.pk]
    review = upload(organizer, draft, "rank,handle,country\n1,Nunez,FR\n2,other,\n")
    assert [person.likely_id for person in review.context["review"].unmatched] == [None]
