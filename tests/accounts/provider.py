"""An OpenID Connect provider on this machine, as the standard describes it; it knows one person."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT = {"client_id": "podium", "secret": "between-us"}


class Provider:
    """The provider, and what it has been asked."""

    def __init__(self, **person: Any) -> None:
        self.person = {"sub": "4711", "preferred_username": "kim", "email": "kim@example.org", **person}
        self.challenges: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def settings(self) -> dict[str, Any]:
        """Return the settings of a site that trusts this provider."""
        server = {"server_url": self.address, "oauth_pkce_enabled": True}
        return {"openid_connect": {"APPS": [{"provider_id": "oidc", "name": "Club", "settings": server, **CLIENT}]}}

    def log_in(self, address: str) -> str:
        """Log in at the address that the site redirected to; return where the provider sends the browser back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["client_id"] == CLIENT["client_id"]
        assert asked["code_challenge_method"] == "S256"
        self.challenges["a-code"] = asked["code_challenge"]
        return f"{asked['redirect_uri']}?{urlencode({'code': 'a-code', 'state': asked['state']})}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _token(self, fields: dict[str, list[str]]) -> dict[str, Any]:
        digest = hashlib.sha256(fields["code_verifier"][0].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.challenges[fields["code"][0]]
        assert fields["client_secret"][0] == CLIENT["secret"]
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT["client_id"], "iat": now, "exp": now + 60, **self.person}
        # Received over TLS from the provider itself, so that a client need not check the signature.
        token = jwt.encode(claims, "k" * 32, algorithm="HS256")
        return {"access_token": "x", "token_type": "Bearer", "id_token": token}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = provider.address
                if self.path == "/userinfo":
                    return self._say(provider.person)
                assert self.path == "/.well-known/openid-configuration"
                return self._say(
                    {
                        "issuer": address,
                        "authorization_endpoint": f"{address}/authorize",
                        "token_endpoint": f"{address}/token",
                        "userinfo_endpoint": f"{address}/userinfo",
                        "jwks_uri": f"{address}/keys",
                        "token_endpoint_auth_methods_supported": ["client_secret_post"],
                    }
                )

            def do_POST(self) -> None:
                fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self._say(provider._token(fields))

            def _say(self, value: dict[str, Any]) -> None:
                body = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: object) -> None:
                pass

        return Handler


class OAuthProvider:
    """GitHub or Google as their documentation describes them, on this machine; it knows one person."""

    def __init__(self, name: str, *, email: str = "kim@example.org", is_verified: bool = True) -> None:
        self.name, self.email, self.is_verified, self.is_broken = name, email, is_verified, False
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def log_in(self, address: str) -> str:
        """Log in at the address that the site redirected to; return where the provider sends the browser back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["client_id"] == CLIENT["client_id"]
        return f"{asked['redirect_uri']}?{urlencode({'code': 'a-code', 'state': asked['state']})}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path: str) -> Any:
        """Return what the provider says at a path."""
        if path == "/token":
            return {"access_token": "x", "token_type": "Bearer", "scope": "email", **self._id_token()}
        if path == "/user":
            return {"id": 4711, "login": "kim", "name": "Kim", "email": None}
        assert path == "/user/emails"
        return [{"email": self.email, "primary": True, "verified": self.is_verified}] if self.email else []

    def _id_token(self) -> dict[str, str]:
        if self.name != "google":
            return {}
        now = int(time.time())
        claims: dict[str, Any] = {"iss": "https://accounts.google.com", "aud": CLIENT["client_id"], "sub": "4711"}
        claims |= {"iat": now, "exp": now + 60, "given_name": "Kim"}
        if self.email:
            claims |= {"email": self.email, "email_verified": self.is_verified}
        return {"id_token": jwt.encode(claims, "k" * 32, algorithm="HS256")}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.headers["Authorization"] == "token x"
                self._say(provider.answer(self.path))

            def do_POST(self) -> None:
                fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                assert fields["client_secret"] == [CLIENT["secret"]]
                assert fields["code"] == ["a-code"]
                self._say(provider.answer(self.path))

            def _say(self, value: Any) -> None:
                body = json.dumps(value).encode()
                self.send_response(503 if provider.is_broken else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: object) -> None:
                pass

        return Handler
