"""Settings of every installation; the differences come from the environment (podium/env.py, docs/operations.md)."""

from csp.constants import NONE, SELF
from kombu import Exchange, Queue

from podium import env, folders

# Earlier versions left the database and the uploads readable by all users of the machine.
folders.tighten(env.VAR)

BASE_DIR = env.ROOT
SECRET_KEY = env.secret_key()
DEBUG = env.DEBUG
ALLOWED_HOSTS = env.ALLOWED_HOSTS
CSRF_FAILURE_VIEW = "web.shared.site_views.csrf_failure"
CSRF_TRUSTED_ORIGINS = env.CSRF_TRUSTED_ORIGINS
PODIUM_ORIGIN = env.ORIGIN
# Where security researchers report a vulnerability of this site.
PODIUM_SECURITY_CONTACTS = env.SECURITY_CONTACTS
# Paths below which everything is in English.
PODIUM_ENGLISH_ONLY = env.ENGLISH_ONLY

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "podium.static_files.StaticFiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "corsheaders",
    "csp",
    # For the names of countries in languages other than English.
    "django_countries",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    *(f"allauth.socialaccount.providers.{name}" for name in ("github", "google") if name in env.providers()),
    "contests",
    "ratings",
    "accounts",
    "web",
    "podium",
]

MIDDLEWARE = [
    "podium.middleware.ReadToTheEnd",
    "podium.middleware.HeadWithoutBody",
    "podium.middleware.Health",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "podium.middleware.Conditional",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "podium.middleware.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.audit.AuditedRequest",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.Limits",
    "accounts.middleware.NewWaysIn",
    "accounts.middleware.TokenUse",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "podium.middleware.Pages",
]

ROOT_URLCONF = "podium.urls"
WSGI_APPLICATION = "podium.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [env.ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["web.shared.page_tags"],
            "libraries": {
                "show": "web.shared.tags",
                "compared": "web.public.compare.tags",
                "contest": "web.public.contest.tags",
                "favored": "web.shared.favored_tags",
                "matchmaking": "web.public.matchmaking.tags",
                "why": "web.public.why.tags",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": env.database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = env.caches()

CELERY_BROKER_URL = env.BROKER_URL
CELERY_BROKER_TRANSPORT_OPTIONS = env.broker_options()
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Only previews and tune --celery wait for results; all other tasks leave none behind.
CELERY_RESULT_BACKEND = env.result_backend()
CELERY_RESULT_BACKEND_TRANSPORT_OPTIONS = {"global_keyprefix": f"{env.site()}:"}
# Workers do first what people wait for, then derived numbers. The names start with the prefix of the site.
_QUEUES = {"first": f"{env.site()}-first", "derive": f"{env.site()}-derive"}
CELERY_TASK_QUEUES = [Queue(name, Exchange(name), routing_key=name) for name in _QUEUES.values()]
CELERY_TASK_DEFAULT_QUEUE = CELERY_TASK_DEFAULT_EXCHANGE = CELERY_TASK_DEFAULT_ROUTING_KEY = _QUEUES["first"]
CELERY_TASK_ROUTES = {"ratings.derive_series": {"queue": _QUEUES["derive"]}}
# Seconds after which a task is killed; use `manage.py rate` for a run that takes longer.
CELERY_TASK_TIME_LIMIT = 4 * 3600
CELERY_TASK_ANNOTATIONS = {
    "ratings.derive_series": {"time_limit": 2 * 3600},
    "ratings.sweep": {"time_limit": 300},
    "ratings.preview_change": {"time_limit": 1800},
    "contests.review_upload": {"time_limit": 1800},
    "contests.save_upload": {"time_limit": 1800},
    "contests.search_duplicates": {"time_limit": 1800},
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    # A sweep that no worker has started before the next one is due is useless.
    "sweep": {"task": "ratings.sweep", "schedule": 20.0, "options": {"expires": 20.0}},
    "sweep-files": {"task": "contests.sweep", "schedule": 3600.0},
    "clear-sessions": {"task": "podium.clear_sessions", "schedule": 86_400.0},
    "delete-unverified-accounts": {"task": "podium.delete_unverified_accounts", "schedule": 86_400.0},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(env.VAR / "beat-schedule")

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Without a mail server, pages tell people to ask an administrator. The EMAIL_ settings come from EMAIL_URL.
PODIUM_SENDS_MAIL = bool(env.EMAIL)
globals().update(env.EMAIL)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.EMAIL_FROM or f"podium@{env.ALLOWED_HOSTS[0].strip('.*[]') or 'localhost'}"
# Seconds for which a password reset link is valid.
PASSWORD_RESET_TIMEOUT = 3600

# django-allauth signs people in; platform/accounts adapts it (docs/decisions/0016-sign-in.md).
AUTHENTICATION_BACKENDS = ["accounts.backends.OnePassword"]
PODIUM_SIGN_UP = env.SIGN_UP
PODIUM_UNVERIFIED_DAYS = env.UNVERIFIED_DAYS
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if PODIUM_SENDS_MAIL else "email", "password1*", "password2*"]
# accounts.stages lets existing accounts in without it. Without mail, no one could verify an address.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if PODIUM_SENDS_MAIL else "optional"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = PODIUM_SENDS_MAIL
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "account"
ACCOUNT_FORMS = {
    "add_email": "accounts.forms.ChangeEmail",
    "change_password": "accounts.forms.ChangePassword",
    "login": "accounts.forms.Login",
    "reauthenticate": "accounts.forms.Reauthenticate",
    "reset_password": "accounts.forms.ResetPassword",
    "reset_password_from_key": "accounts.forms.NewPassword",
    "set_password": "accounts.forms.SetPassword",
    "signup": "accounts.forms.SignUp",
}
# accounts.limits counts attempts, before passwords are hashed; these are the limits that only allauth can count.
ACCOUNT_RATE_LIMITS = {
    "login_failed": "10/15m/key",  # codes of the second factor
    "confirm_email": "1/3m/key",  # messages to one address
    **dict.fromkeys(
        ("change_password", "manage_email", "reset_password", "reauthenticate", "reset_password_from_key", "signup",
         "login", "request_login_code"),
    ),
}  # fmt: skip
MFA_ADAPTER = "accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = not PODIUM_SENDS_MAIL
MFA_TOTP_TOLERANCE = 1
MFA_RATE_LIMITS = {"webauthn_login": None}
MFA_FORMS = {
    "activate_totp": "accounts.forms.ActivateApp",
    "add_webauthn": "accounts.forms.AddPasskey",
    "authenticate": "accounts.forms.SecondFactor",
    "edit_webauthn": "accounts.forms.RenamePasskey",
    "reauthenticate": "accounts.forms.SecondFactorAgain",
}
SOCIALACCOUNT_FORMS = {"signup": "accounts.forms.SocialSignUp"}
SOCIALACCOUNT_PROVIDERS = env.providers()

PODIUM_TRUSTED_PROXIES = env.TRUSTED_PROXIES
# People can sign in while the cache cannot be reached; a warning is logged.
RATELIMIT_FAIL_OPEN = True
RATELIMIT_IP_META_KEY = "accounts.client_address.counted_address"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "organize:home"
LOGOUT_REDIRECT_URL = "home"

LANGUAGE_CODE = "en"
# Each in its own language, whatever the language of the page.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [env.ROOT / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = env.VAR / "static"
STATICFILES_DIRS = [env.ROOT / "static"]
# What browsers request at the root: favicon.ico.
WHITENOISE_ROOT = env.ROOT / "static" / "root"
STORAGES = {
    "default": {
        "BACKEND": "contests.uploads.files.WholeFiles",
        "OPTIONS": {"location": str(env.VAR / "files")},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "podium.static_files.GzippedFiles",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}

# Only the site's user can read uploads; everyone can read static files, because a proxy may serve them.
FILE_UPLOAD_PERMISSIONS = folders.PRIVATE_FILE
FILE_UPLOAD_DIRECTORY_PERMISSIONS = folders.PRIVATE_FOLDER

# Uploads are streamed to disk above this size; their own limit is checked while reading.
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 2**20
PODIUM_UPLOAD_LIMIT = env.UPLOAD_LIMIT_MB * 2**20
PODIUM_VAR = env.VAR
# The slug of the community that commands, parameters and old addresses mean when they name none.
PODIUM_COMMUNITY = env.COMMUNITY
# Who can create a community: anyone, invitation or staff.
PODIUM_NEW_COMMUNITIES = env.NEW_COMMUNITIES
# Quotas (contests/services/quotas.py, accounts/tokens.py): owned communities and uploads per account, the others per
# community.
PODIUM_MAX_COMMUNITIES = env.MAX_COMMUNITIES
PODIUM_MAX_SERIES = env.MAX_SERIES
PODIUM_MAX_CONTESTS = env.MAX_CONTESTS
PODIUM_MAX_PLAYERS = env.MAX_PLAYERS
PODIUM_MAX_MEMBERS = env.MAX_MEMBERS
PODIUM_MAX_TOKENS = env.MAX_TOKENS
PODIUM_MAX_STAGED_BYTES = env.MAX_STAGED_MB * 2**20
PODIUM_MAX_UPLOADS_A_DAY = env.MAX_UPLOADS_A_DAY
PODIUM_MAX_REPORTS_A_DAY = env.MAX_REPORTS_A_DAY
PODIUM_REPORT_DAYS = env.REPORT_DAYS
# Seconds after which a process that has not extended its lease loses its series to another one.
PODIUM_LEASE_SECONDS = env.LEASE_SECONDS

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = env.HTTPS
# Browsers accept a cookie with this prefix only over HTTPS and from this host, so no other site of the domain sets it.
_HOST_ONLY = "__Host-" if env.HTTPS else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
LANGUAGE_COOKIE_NAME = f"{_HOST_ONLY}language"
SECURE_HSTS_SECONDS = 31536000 if env.HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.HTTPS and env.HSTS_SUBDOMAINS
SECURE_HSTS_PRELOAD = env.HTTPS and env.HSTS_PRELOAD
# HSTS for subdomains and the preload list of browsers commit a whole domain for years, including other sites without
# HTTPS. The owner of the domain decides that, so `check --deploy` does not warn if they are off.
SILENCED_SYSTEM_CHECKS = [
    *([] if env.HSTS_SUBDOMAINS else ["security.W005"]),
    *([] if env.HSTS_PRELOAD else ["security.W021"]),
]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.HTTPS else None
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Everything is forbidden but what pages use; the import map is added in podium.middleware.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # Swagger's style sheet contains small pictures.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        # Suggestions, progress, previews and passkeys; Swagger calls the REST API.
        "connect-src": [SELF],
        "form-action": [SELF, *env.provider_origins()],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
# Pages use none of these, neither themselves nor in frames. Passkeys and the clipboard keep the defaults of browsers.
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer", "autoplay", "browsing-topics", "camera", "clipboard-read",
        "display-capture", "encrypted-media", "gamepad", "geolocation", "gyroscope", "hid", "idle-detection",
        "local-fonts", "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock",
        "serial", "usb", "window-management", "xr-spatial-tracking",
    )
}  # fmt: skip

# Reading public data needs no credentials, and tokens are sent by programs and never by browsers on their own, so pages
# from any origin may read.
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ("GET", "HEAD", "OPTIONS")
CORS_ALLOW_HEADERS = ("Accept", "Authorization", "Content-Type", "If-None-Match")
CORS_EXPOSE_HEADERS = ("ETag", "Retry-After", "WWW-Authenticate")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.token_authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["podium.throttling.AddressThrottle", "podium.throttling.TokenThrottle"],
    "DEFAULT_THROTTLE_RATES": {"anon": env.API_RATE, "token": env.API_TOKEN_RATE},
    # A proxy passes on the address of the client; without a proxy, a client could claim any address.
    "NUM_PROXIES": env.TRUSTED_PROXIES,
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "podium.openapi.PodiumSchema",
    "EXCEPTION_HANDLER": "podium.api.problem_response",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "podium.problems.Negotiation",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Podium",
    "DESCRIPTION": (
        "Read ratings, leaderboards, players and contests, and keep a copy of them up to date.\n\n"
        "Every number belongs to a numbered, published *run* of its series, and `run` says which. `mu`, `sigma`, "
        "`score` and `performance` are *rating points* in full precision. `rating`, `peak` and `change` are *displayed "
        "points*, the whole numbers on pages.\n\n"
        "You don't need a token to read public data. A community's token also gives access to its private series: "
        "owners of the community create tokens, and programs send one as `Authorization: Bearer podium_…`. Web pages "
        "from any origin can read the API. Every successful response has an `ETag`. Send it back as `If-None-Match`; "
        "if nothing has changed, the response is 304 without a body. Errors are problem documents, "
        "`application/problem+json` (RFC 9457)."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVERS": [{"url": env.ORIGIN or "/", "description": "This site."}],
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "TAGS": [
        {"name": "about", "description": "Addresses of the top-level resources."},
        {"name": "communities", "description": "Communities with their series and players."},
        {"name": "series", "description": "Series with their leaderboards, distributions, runs and changes."},
        {"name": "matchmaking", "description": "Predictions of matches, opponents, pairings and balanced teams."},
        {"name": "contests", "description": "Contests with their standings and rating changes."},
        {"name": "players", "description": "Players with their ratings and rating changes."},
    ],
    "ENUM_NAME_OVERRIDES": {
        "StandingStatus": "contests.models.StandingStatus",
        "RunKind": "ratings.api.series.KINDS",
    },
    "ENUM_SUFFIX": "",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "podium.openapi.allow_blank",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "podium.logs.MaskedFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        # Django's own handlers would write secrets: to the console in debug mode, and in messages to administrators.
        "django": {"handlers": []},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
    "root": {"handlers": ["console"], "level": env.LOG_LEVEL},
}
