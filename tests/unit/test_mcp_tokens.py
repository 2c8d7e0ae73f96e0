"""Tokens: which of them are believed, for each kind of key, and which keys are taken."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar, cast
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from memoranda.errors import IdentityError, InputError
from memoranda_mcp import JWTVerifier, key_set_of
from memoranda_mcp.tokens import identity_of

SECRET = "a secret of more than thirty-two bytes, for tests"
FROM: dict[str, Any] = {"issuer": "https://issuer.example", "audience": "https://memory.example/mcp"}

RSA = rsa.generate_private_key(65537, 2048)
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()


def pem(key: Any) -> bytes:
    data: bytes = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return data


def token(key: Any, algorithm: str, kid: str | None = None, **more: Any) -> str:
    claims = {"sub": "alice", "iss": FROM["issuer"], "aud": ["another", FROM["audience"]], "exp": time.time() + 600}
    return jwt.encode(claims | more, key, algorithm, headers={"kid": kid} if kid else None)


def jwk(key: Any, kid: str | None = None, **more: Any) -> dict[str, Any]:
    of: Any = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((each for kind, each in of.items() if isinstance(key, kind)), OKPAlgorithm)
    made: dict[str, Any] = json.loads(algorithm.to_jwk(key.public_key()))
    return made | ({"kid": kid} if kid else {}) | more


@pytest.mark.parametrize(("key", "algorithm"), [(RSA, "RS256"), (RSA, "PS512"), (CURVE, "ES256"), (EDWARDS, "EdDSA")])
async def test_a_public_key_verifies_its_own_and_no_others(key: Any, algorithm: str) -> None:
    verifier = JWTVerifier(**FROM, public_key=pem(key))
    found = await verifier.verify_token(token(key, algorithm, scope="read memory", azp="client"))
    assert found is not None
    assert (found.subject, found.client_id, found.scopes) == ("alice", "client", ["read", "memory"])
    assert found.resource == FROM["audience"]
    forged = jwt.encode({"sub": "alice"}, cast("Any", None), "none")
    for other in (token(SECRET, "HS256"), token(ed25519.Ed25519PrivateKey.generate(), "EdDSA"), forged):
        assert await verifier.verify_token(other) is None


async def test_a_public_key_is_no_secret() -> None:
    """Signed with the text of the public key, which everybody knows, as if it were a secret."""

    def part(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    claims = {"sub": "alice", "iss": FROM["issuer"], "aud": FROM["audience"], "exp": int(time.time()) + 600}
    body = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()) + b"." + part(json.dumps(claims).encode())
    forged = body + b"." + part(hmac.new(pem(RSA), body, hashlib.sha256).digest())
    for verifier in (JWTVerifier(**FROM, public_key=pem(RSA)), JWTVerifier(**FROM, jwks={"keys": [jwk(RSA)]})):
        assert await verifier.verify_token(forged.decode()) is None


async def test_a_key_set() -> None:
    keys = [jwk(RSA, "one", alg="RS256"), jwk(CURVE, "two"), jwk(EDWARDS, "three", use="enc")]
    verifier = JWTVerifier(**FROM, jwks={"keys": keys})
    assert await verifier.verify_token(token(RSA, "RS256", "one"))
    assert await verifier.verify_token(token(CURVE, "ES256", "two"))
    for wrong in (
        token(CURVE, "ES256", "one"),
        token(RSA, "RS512", "one"),  # the key says which
        token(RSA, "RS256"),  # which key?
        token(RSA, "RS256", "four"),
        token(EDWARDS, "EdDSA", "three"),  # that one is not for signatures
    ):
        assert await verifier.verify_token(wrong) is None
    alone = JWTVerifier(**FROM, jwks={"keys": keys[:1]})
    assert await alone.verify_token(token(RSA, "RS256"))


async def test_times_issuer_and_audience(caplog: pytest.LogCaptureFixture) -> None:
    verifier = JWTVerifier(**FROM, secret=SECRET)
    assert await verifier.verify_token(token(SECRET, "HS384"))
    now = time.time()
    wrongs: list[dict[str, Any]] = [{"exp": now - 1}, {"nbf": now + 60}, {"aud": "another"}, {"sub": 7}]
    for wrong in (*wrongs, {"iss": f"{FROM['issuer']}/"}):
        assert await verifier.verify_token(token(SECRET, "HS256", **wrong)) is None
    for text in ("", "a.b.c", "\u00e9", "\ud800", "." * 50, "{}"):
        assert await verifier.verify_token(text) is None
    for name in ("\u0000", " alice", "x" * 201, "{00000000-0000-0000-0000-000000000000}"):
        assert await verifier.verify_token(token(SECRET, "HS256", sub=name)) is None
    assert "alice" not in caplog.text


class Issuer(BaseHTTPRequestHandler):
    """Has a key set, and another one later."""

    keys: ClassVar[list[dict[str, Any]]] = []
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        data = json.dumps({"keys": self.keys}).encode()
        self.send_response(200 if self.keys else 500)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Tests say what they have to."""


@pytest.fixture
def issuer() -> Iterator[str]:
    Issuer.keys, Issuer.asked = [jwk(RSA, "one")], 0
    with HTTPServer(("127.0.0.1", 0), Issuer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/jwks.json"
        server.shutdown()
        thread.join()


async def test_a_key_set_that_stands_elsewhere(issuer: str) -> None:
    verifier = JWTVerifier(**FROM, jwks=issuer)
    assert Issuer.asked == 0
    for _ in range(3):
        assert await verifier.verify_token(token(RSA, "RS256", "one"))
    assert Issuer.asked == 1
    Issuer.keys = [jwk(RSA, "one"), jwk(CURVE, "two")]  # a new key comes into use
    assert await verifier.verify_token(token(CURVE, "ES256", "two"))
    assert Issuer.asked == 2
    for number in range(5):  # and one that names a key which isn't there makes nobody run
        assert await verifier.verify_token(token(RSA, "RS256", f"wrong{number}")) is None
    assert Issuer.asked == 2


async def test_an_issuer_that_is_out_of_reach_verifies_nothing(issuer: str) -> None:
    Issuer.keys = []
    assert await JWTVerifier(**FROM, jwks=issuer).verify_token(token(RSA, "RS256", "one")) is None


def test_what_cannot_verify_is_refused(tmp_path: Path) -> None:
    small = rsa.generate_private_key(65537, 1024)
    rare = ec.generate_private_key(ec.SECP192R1())
    secret = {"kty": "oct", "k": "c2VjcmV0", "kid": "one"}
    wrong: list[dict[str, Any]] = [
        {},
        {"secret": SECRET, "public_key": pem(RSA)},
        {"secret": "short"},
        {"secret": ""},
        {"public_key": b"no key"},
        {"public_key": pem(small)},
        {"public_key": pem(rare)},
        {"public_key": pem(dsa.generate_private_key(1024))},
        {"jwks": {}},
        {"jwks": {"keys": []}},
        {"jwks": {"keys": [secret]}},
        {"jwks": "http://issuer.example/jwks.json"},
        {"jwks": "file:///etc/passwd"},
    ]
    for each in wrong:
        with pytest.raises(InputError):
            JWTVerifier(**FROM, **each)
    for empty in ({"issuer": ""}, {"audience": ""}):
        with pytest.raises(InputError):
            JWTVerifier(**(FROM | empty), secret=SECRET)
    file = tmp_path / "jwks.json"
    for text in ("no JSON", "[]"):
        file.write_text(text)
        with pytest.raises(InputError):
            key_set_of(str(file))
    file.write_text(json.dumps({"keys": [jwk(RSA)]}))
    assert JWTVerifier(**FROM, jwks=key_set_of(str(file)))
    assert key_set_of("https://issuer.example/jwks.json") == "https://issuer.example/jwks.json"


def test_a_subject_is_an_id_or_a_name() -> None:
    id = "7d1f6c1e-7a1c-4b7e-9c53-0d1f6c1e7a1c"
    assert str(identity_of(id).user) == id
    assert identity_of(id.upper()) == identity_of(id)
    assert identity_of("alice").user.version == 8


@pytest.mark.parametrize("form", ["{0.hex}", "{{{0}}}", "{0.urn}"])
def test_only_the_canonical_spelling_of_an_id_is_one(form: str) -> None:
    somebody = uuid4()
    assert identity_of(str(somebody)).user == somebody
    with suppress(IdentityError):  # what only looks like an id is refused, or a name
        assert identity_of(form.format(somebody)).user != somebody
