"""Settings of the site in tests: those of every site, with a fast password hasher and a security contact."""

from podium.settings import *  # noqa: F403

# The real hasher takes more than half a second for each password, on purpose. Sites and workers that tests start use
# these settings too, because they read the passwords that tests wrote.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Without contacts, the address of security.txt answers 404.
PODIUM_SECURITY_CONTACTS = ["mailto:security@example.org"]
