#!/usr/bin/env bash
# Set up what the Makefile needs:
#   setup.sh packages LOCK [VENV]
#                            create the virtual environment (.venv) if it is missing, install the packages of a lock file into
#                            it, each only if its hash is in the file, and let it import Podium from this checkout
#   setup.sh services        check that the programs for the tests are installed: PostgreSQL, Redis, nginx, Chromium, Firefox,
#                            gettext, fonts and more. Root on Debian installs missing ones, other users see the command to do so
#   setup.sh python          print the path of the Python for .venv
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

apt_install() {
    say "installing $* (apt-get)"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer found. Install one, or name it: make install PYTHON=/path/to/python3.11"
}

# On Debian, creating virtual environments needs a separate package.
can_make_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

has_venv() { [ -x "$1/bin/python" ] && "$1/bin/python" -m pip --version >/dev/null 2>&1; }

make_venv() {
    local python
    python=$(find_python)
    if ! can_make_venv "$python"; then
        can_apt || fail "$python cannot create virtual environments. On Debian or Ubuntu: sudo apt-get install python3-venv"
        apt_install python3-venv
    fi
    say "creating $1 with $("$python" --version)"
    "$python" -m venv "$1"
}

install_packages() {
    local lock=$1 venv=${2:-.venv} folder
    has_venv "$venv" || { rm -rf "$venv"; make_venv "$venv"; }
    say "installing $lock into $venv (the first time this takes a minute)"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" \
        || fail "pip could not install $lock; see its message above. Nothing else was changed; run the same command again."
    folder=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$PWD/platform" "$PWD" >"$folder/podium.pth"
}

install_services() {
    local missing=() python
    python=$(find_python)
    has_venv .venv || can_make_venv "$python" || missing+=(python3-venv)
    [ -n "$(scripts/services.sh postgres-folder)" ] || missing+=(postgresql)
    command -v redis-server >/dev/null || missing+=(redis-server)
    command -v chromium >/dev/null || missing+=(chromium)
    command -v firefox-esr >/dev/null || command -v firefox >/dev/null || missing+=(firefox-esr)
    command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
    command -v xgettext >/dev/null || missing+=(gettext)
    # Tests view pages with narrow and with wide fonts; the wide ones are in static/vendor.
    [ -n "$(find /usr/share/fonts /usr/local/share/fonts -name LiberationSans-Regular.ttf 2>/dev/null)" ] \
        || missing+=(fonts-liberation)
    [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || missing+=(nginx-light)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v curl >/dev/null || missing+=(curl)
    [ ${#missing[@]} = 0 ] && return
    can_apt || fail "the tests need programs that are not installed. On Debian or Ubuntu: sudo apt-get install ${missing[*]}"
    apt_install "${missing[@]}"
}

case "${1:-}" in
    packages) install_packages "${2:?which lock file?}" "${3:-}" ;;
    services) install_services ;;
    python) find_python ;;
    *) fail "usage: setup.sh packages LOCK [VENV] | setup.sh services | setup.sh python" ;;
esac
