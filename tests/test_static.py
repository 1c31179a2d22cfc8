"""Style sheets, scripts and vendored files: complete, and collectable with hashed names."""

import gzip
import hashlib
import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import call_command
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "static"
VENDOR = STATIC / "vendor"
SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)
SCRIPT = {path.stem: path for path in SCRIPTS}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
VENDORED = tomllib.loads((VENDOR / "versions.toml").read_text())["package"]


@pytest.mark.parametrize("package", VENDORED, ids=lambda package: package["name"])
def test_vendored_files_are_what_was_fetched(package):
    files = sorted(VENDOR.glob(package["file"]))
    content = b"".join(file.read_bytes() for file in files)
    assert hashlib.sha256(content).hexdigest() == package["sha256"]
    assert (files[0].parent / "LICENSE").read_text().strip()
    assert package["version"] in package["source"]
    assert b"sourceMappingURL" not in content


def test_a_library_inside_a_vendored_file_has_its_licence_too():
    assert "Sasha Koss" in (VENDOR / "chartjs-dates/date-fns.LICENSE").read_text()


def test_nothing_else_is_vendored():
    known = {path.relative_to(VENDOR).as_posix() for package in VENDORED for path in VENDOR.glob(package["file"])}
    found = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    assert {name for name in found if not name.endswith("LICENSE")} == known | {"versions.toml"}


def test_static_files_can_be_collected_with_hashed_names(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "podium.static_files.GzippedFiles"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    names = [path.name for path in tmp_path.rglob("*")]
    assert any(re.fullmatch(r"chart\.umd\.min\.[0-9a-f]{12}\.js\.gz", name) for name in names)
    assert any(re.fullmatch(r"tokens\.[0-9a-f]{12}\.css", name) for name in names)
    assert [name for name in names if name.endswith(".br")] == [], "production sites have no Brotli"
    (bundle,) = (path for path in tmp_path.rglob("site.*.css") if re.fullmatch(r"site\.[0-9a-f]{12}\.css", path.name))
    assert re.search(r"url\([\"']?\.\./vendor/inter/InterVariable\.[0-9a-f]{12}\.woff2", bundle.read_text())
    for part in ("tokens", "base", "components", "tables", "forms", "pages", "search"):
        assert (STATIC / f"shared/{part}.css").read_text() in bundle.read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_short_and_import_only_through_the_import_map(script):
    text = script.read_text()
    assert text.count("\n") < 100
    for name in re.findall(r'(?:from|import) "([^"]+)"', text):
        assert name in SCRIPT, f"{name} is in no import map"


@pytest.mark.parametrize(
    ("entry", "template"), [("player", "player/player.html"), ("compare-chart", "compare/compare.html")]
)
def test_all_modules_of_a_graph_are_fetched_at_once(entry, template):
    """Without a hint in the page, a browser discovers an imported module only after loading the importing one."""
    needed, left = set(), {entry}
    while left:
        needed |= left
        texts = [SCRIPT[name].read_text() for name in left]
        left = {name for text in texts for name in re.findall(r'from "([^"]+)"', text)} - needed
    names = ("base.html", "shared/_graph_scripts.html", template)
    page = "".join((ROOT / "templates" / name).read_text() for name in names)
    assert set(re.findall(r"/([\w-]+)\.js", page)) >= needed


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "templates").as_posix())
def test_templates_escape_everything_and_fetch_nothing(template):
    text = template.read_text()
    assert not re.search(r"\|\s*safe\b|autoescape off|mark_safe|\son[a-z]+=", text)
    # Mail programs read no style sheets.
    assert template.parent.name == "email" or not re.search(r"\sstyle=", text)
    assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text)
    assert "<script>" not in text


@pytest.mark.parametrize(
    "sheet", sorted(path for path in STATIC.rglob("*.css") if "vendor" not in path.parts), ids=lambda path: path.name
)
def test_style_sheets_fetch_nothing_and_use_known_tokens(sheet):
    text = sheet.read_text()
    addresses = re.findall(r"url\(([^)]*)\)", text)
    assert addresses == (['"../vendor/inter/InterVariable.woff2"'] if sheet.name == "fonts.css" else [])
    assert "@import" not in text
    tokens = set(re.findall(r"(--[\w-]+):", (STATIC / "shared/tokens.css").read_text()))
    # What a sheet sets itself, such as the colour of each line of a graph, is not a token of the site.
    own = set(re.findall(r"(--[\w-]+):", text))
    assert set(re.findall(r"var\((--[\w-]+)\)", text)) <= tokens | own | {"--tier-light", "--tier-dark"}


@pytest.mark.parametrize("template", ["base.html", "share/widget.html"])
def test_pages_ask_for_their_font_at_once(template):
    """If a style sheet names it first, the font comes too late for the first paint. Text may come before it."""
    text = (ROOT / "templates" / template).read_text()
    assert re.search(
        r"""<link rel="preload" href="{% static 'vendor/inter/InterVariable.woff2' %}" as="font" type="font/woff2\""""
        r'(\s+fetchpriority="low")? crossorigin>',
        text,
    )
    assert text.index('as="font"') < text.index('rel="stylesheet"')


def test_the_font_has_the_letters_and_signs_of_the_pages():
    letters = TTFont(VENDOR / "inter/InterVariable.woff2").getBestCmap()
    names = "Ærø Łódź Šiauliai Iași İstanbul Đặng Nguyễn ơ ẞ Ελένη"
    signs = "μ σ ρ χ ± − × · … – “ ” „ ‚ ’ « » ½ ² ₁ ▲ ▼ △ ◆ ◇ ■ □ ○ ★ ← ↑ → ↓ √ ∞ ✓ ⌘ €"
    assert [sign for sign in names + signs if ord(sign) not in letters] == []


def test_graphs_are_drawn_in_the_colours_of_the_page():
    tokens = (STATIC / "shared/tokens.css").read_text()
    themes = [
        dict(re.findall(r'(\w+): "(#\w{6})"', part))
        for part in (STATIC / "shared/chart-colours.js").read_text().split("const DARK")
    ]
    names = {"page": "page", "raised": "raised", "ink": "ink", "soft": "ink-soft", "faint": "ink-faint"}
    names |= {"rule": "rule", "strong": "rule-strong", "accent": "accent", "warn": "warn"}
    for name, token in names.items():
        assert f"--{token}: light-dark({themes[0][name]}, {themes[1][name]})" in tokens
    assert set(themes[0]) == set(themes[1]) == set(names)


def test_the_scripts_of_a_graph_leave_room_for_the_page():
    """A whole page may weigh 350 kB."""
    ours = b"".join(script.read_bytes() for script in SCRIPTS if "chart" in script.name)
    theirs = [path.read_bytes() for folder in ("chartjs*", "hammerjs") for path in VENDOR.glob(f"{folder}/*.js")]
    assert len(theirs) == 5
    assert sum(len(gzip.compress(each)) for each in [ours, *theirs]) < 130_000


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


READABLE = [
    *((ink, page) for ink in ("ink", "ink-soft", "ink-faint", "accent") for page in ("page", "raised", "accent-wash")),
    *((ink, "page") for ink in ("good", "warn", "bad", "accent-strong")),
    *((ink, f"{state}-wash") for ink in ("ink", "ink-soft") for state in ("good", "warn", "bad")),
    *((state, f"{state}-wash") for state in ("good", "warn", "bad")),
    *(("ink", "sunken"), ("on-accent", "accent"), ("on-accent", "accent-strong"), ("page", "ink")),
]


@pytest.mark.parametrize(("ink", "page"), READABLE)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_is_readable_on_its_background(ink, page, theme):
    """WCAG 2.2, success criterion 1.4.3: 4.5 to 1."""
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (STATIC / "shared/tokens.css").read_text())
    tokens = {name: colours for name, *colours in found}
    assert contrast(tokens[ink][theme], tokens[page][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_controls_can_be_made_out(theme):
    """WCAG 2.2, success criterion 1.4.11: 3 to 1."""
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (STATIC / "shared/tokens.css").read_text())
    tokens = {name: colours for name, *colours in found}
    assert contrast(tokens["rule-strong"][theme], tokens["page"][theme]) >= 3
