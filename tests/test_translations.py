"""The second language is complete: every text is in the catalogue, translated, compiled, and on the pages."""

from __future__ import annotations

import gettext
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import override

from contests.models import Community
from contests.services.communities import set_role
from tests.browser.community import PASSWORD, build_site
from tests.factories import make_user
from tests.web.organize.everything import MARK, build_world, undone
from tests.web.organize.test_all_queries import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from babel.messages.catalog import Catalog, Message
    from django.test import Client

ROOT = Path(__file__).resolve().parents[1]
LANGUAGE = "de"
FOLDER = ROOT / "locale" / LANGUAGE / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")
#: Markup and its attributes have to come through a translation, too.
MARKUP = re.compile(r"</?\w+|href=|class=")


def read(file: Path) -> Catalog:
    with file.open("rb") as content:
        return read_po(content, locale=LANGUAGE)


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return read(FOLDER / "django.po")


def messages(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def as_texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_every_text_is_translated_and_no_translation_is_marked_as_uncertain(catalogue):
    missing = [message.id for message in messages(catalogue) if message.fuzzy or not all(as_texts(message.string))]
    assert not missing
    assert len(messages(catalogue)) > 300


def test_translations_keep_placeholders_and_markup(catalogue):
    wrong = []
    for message in messages(catalogue):
        plural = as_texts(message.id)[-1]
        for text in as_texts(message.string):
            # In texts with a plural, the singular may spell out its number.
            first = as_texts(message.id)[0]
            for what in (PLACEHOLDER, MARKUP):
                if sorted(what.findall(text)) not in (sorted(what.findall(first)), sorted(what.findall(plural))):
                    wrong.append(text)
    assert not wrong


@pytest.mark.parametrize(
    "text", ["tied with %(others)s other", "The actual place was <strong>%(place)s</strong>, shared with"]
)
def test_one_other_player_is_in_the_singular(catalogue, text):
    (message,) = (message for message in messages(catalogue) if as_texts(message.id)[0].startswith(text))
    one, several = as_texts(message.string)
    assert "mit %(others)s anderem" in one
    assert "mit %(others)s anderen" in several


def test_communities_have_one_german_name(catalogue):
    assert not [text for message in messages(catalogue) for text in as_texts(message.string) if "Community" in text]


def test_what_is_compiled_is_what_was_translated(catalogue):
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in messages(catalogue):
        if isinstance(message.id, tuple):
            ask = (lambda n, m=message: compiled.npgettext(m.context, *m.id, n)) if message.context else (
                lambda n, m=message: compiled.ngettext(*m.id, n)
            )  # fmt: skip
            assert (ask(1), ask(2)) == message.string
        else:
            found = compiled.pgettext(message.context, message.id) if message.context else compiled.gettext(message.id)
            assert found == message.string


@pytest.mark.one_database
def test_the_catalogue_has_every_text_of_the_sources_and_no_other(catalogue, tmp_path):
    if shutil.which("xgettext") is None:
        pytest.fail("no xgettext; make test installs it, on Debian or Ubuntu: sudo apt-get install gettext")
    for name in ("contests", "ratings", "platform", "templates", "locale", "static", "manage.py"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "vendor"))
        else:
            shutil.copy(source, tmp_path / name)
    command = [sys.executable, "manage.py", "makemessages", "--locale", LANGUAGE, "--no-location", "--no-obsolete"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    found = read(tmp_path / "locale" / LANGUAGE / "LC_MESSAGES" / "django.po")
    ours = {(message.context, message.id) for message in messages(catalogue)}
    theirs = {(message.context, message.id) for message in messages(found)}
    assert theirs - ours == set(), "run make messages, and translate what is new"
    assert ours - theirs == set(), "run make messages"


#: Programs, names, and what readers typed.
SILENT = ("script", "style", "bdi", "code", "textarea")


class Sentences(HTMLParser):
    """All runs of text of a page that look like words for readers, and those of attributes that are read aloud."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._silent = 0
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        for name, value in attrs:
            if name in ("aria-label", "title", "placeholder", "alt") and value:
                self._add(value)

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._add(data)

    def _add(self, text: str) -> None:
        words = " ".join(text.split())
        if re.search(r"[A-Za-z]{3,} [a-z]{2,}", words):
            self.found.add(words)


#: Names, and words that are the same in both languages.
OWN_NAMES = ("Round ", "Games of ", "Night ", "Harbour", "Night Relay", "Every other Saturday", "a_very_long")


def left_in_english(client: Client, paths: Iterable[str]) -> set[str]:
    left: set[str] = set()
    for path in paths:
        english, german = client.get(path), client.get(path, headers={"accept-language": LANGUAGE})
        assert english.status_code == german.status_code != 302, path
        if not english["Content-Type"].startswith("text/html"):
            continue
        left |= Sentences(english.content.decode()).found & Sentences(german.content.decode()).found
    return {text for text in left if not text.startswith(OWN_NAMES)}


@pytest.mark.django_db
@pytest.mark.one_database
def test_no_sentence_of_a_public_page_is_left_in_english(client):
    assert left_in_english(client, build_site().public.values()) == set()


#: Pages of someone's account; each has a form, or a list, of its own.
ACCOUNT_PAGES = (
    "account",
    "account_email",
    "account_change_password",
    "account_logout",
    "account_reauthenticate",
    "mfa_index",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_list_webauthn",
    "usersessions_list",
)


@pytest.mark.django_db
@pytest.mark.one_database
def test_no_sentence_of_an_account_is_left_in_english(client):
    client.force_login(make_user("ida"))
    # Pages that change how one logs in ask for the password first.
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert left_in_english(client, map(reverse, ACCOUNT_PAGES)) == set()


#: On organizers' pages: names, causes and errors, which are stored in one language for everyone.
STORED = (MARK, "a cause", "The worker stopped.")


@pytest.mark.django_db
@pytest.mark.one_database
def test_no_sentence_of_an_organizers_page_is_left_in_english(client):
    world = build_world(1)
    set_role(world.series.community_id, world.organizer, "owner")
    client.force_login(world.organizer)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    paths = [path for path in paths_of(world).values() if path.startswith("/organize/")]
    assert len(paths) > 25
    with undone():
        left = left_in_english(client, paths)
    assert {text for text in left if not text.startswith(STORED)} == set()
    said = {"text": "rank,handle,country\n1,p1,XX\nfirst,p2,DE\n"}
    upload = reverse("organize:upload", args=[world.draft.pk])
    answer = client.post(upload, said, follow=True, headers={"accept-language": LANGUAGE})
    review = answer.content.decode()
    assert "Unbekanntes Land" in review
    assert "Ein Rang ist eine ganze Zahl" in review
    review = client.get(answer.redirect_chain[-1][0]).content.decode()
    assert "Unknown country" in review
    assert "A rank is a whole number" in review


def test_errors_of_a_community_are_translated():
    club = Community(slug="Müller & Co", name="x", website="none", accent="red")
    said: dict[str, dict[str, list[str]]] = {}
    for language in ("en", LANGUAGE):
        with override(language):
            with pytest.raises(ValidationError) as error:
                club.clean_fields()
            said[language] = error.value.message_dict
    assert said["en"].keys() == said[LANGUAGE].keys() == {"slug", "website", "accent"}
    assert not [field for field in said["en"] if said["en"][field] == said[LANGUAGE][field]]


#: Pages in English only; in all others, only a name and an example of a command are in English.
ENGLISH_TEMPLATES = ("admin", "api", "design")
SAME_IN_ALL_LANGUAGES = {"Podium", "curl --header Authorization: Bearer"}


def words_outside_translations(template: str) -> set[str]:
    """Return words of a template outside translation tags, including branches that no tested page shows."""
    for hidden in (
        r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", r"{%\s*comment\b.*?{%\s*endcomment\s*%}", r"{#.*?#}",
        r"<(script|style|svg)\b.*?</\1>", r"{%.*?%}", r"{{.*?}}", r"<[^>]*>", r"&\w+;",
    ):  # fmt: skip
        template = re.sub(hidden, "\n", template, flags=re.DOTALL)
    lines = (re.sub(r"[\s\"“”·]+", " ", line).strip() for line in template.splitlines())
    return {line for line in lines if re.search(r"[A-Za-z]{3,}", line)}


def test_no_template_has_words_that_are_not_translated():
    assert words_outside_translations("<p>{% if a %}{% translate 'One' %}{% else %}Two words{% endif %}</p>")
    left = {}
    for file in sorted((ROOT / "templates").rglob("*.html")):
        if not set(ENGLISH_TEMPLATES) & set(file.relative_to(ROOT / "templates").parts):
            left[file.name] = words_outside_translations(file.read_text(encoding="utf-8")) - SAME_IN_ALL_LANGUAGES
    assert {name: words for name, words in left.items() if words} == {}
