"""Bearer tokens: JSON Web Tokens that somebody else has issued, checked against a secret or public keys."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit
from uuid import UUID

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt import PyJWK, PyJWKClient, PyJWKSet
from mcp.server.auth.provider import AccessToken

from memoranda import Identity
from memoranda.errors import IdentityError, InputError
from memoranda.identity import subject_id

Key: TypeAlias = "tuple[Any, Sequence[str]]"
"""What verifies, and the algorithms it may be used with: never one that the token alone names."""

_SHORTEST = 32
"""Bytes of a secret: as many as HS256 gives (RFC 7518, section 3.2)."""
_SMALLEST_RSA = 2048
_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}

_PAUSE = 60.0
"""Seconds between two looks for a key that was not there: a token that names none that exists costs nobody anything."""
_KEPT = 300.0
_PATIENCE = 5.0

_log = logging.getLogger("memoranda")


class JWTVerifier:
    """Verifies bearer tokens for the MCP SDK (it is one of its `TokenVerifier`): signature, issuer, audience, times.

    A token has to have an expiry, a subject, this issuer and this audience. Its subject becomes the user: an id if it
    is a UUID, else a name.
    """

    def __init__(
        self,
        *,
        issuer: str,
        audience: str,
        secret: str | bytes | None = None,
        public_key: str | bytes | None = None,
        jwks: Mapping[str, Any] | str | None = None,
    ) -> None:
        """Make a verifier of one of the three; nothing is fetched.

        Args:
            issuer: Who has issued the tokens: their ``iss``, exactly.
            audience: For whom: their ``aud``, or one of them; the server's own URL, unless your issuer says otherwise.
            secret: A secret shared with the issuer (HS256, HS384, HS512), of 32 bytes or more.
            public_key: The issuer's public key in PEM (RSA, elliptic curve, Ed25519).
            jwks: Its key set, as data; or the https URL of it, which is fetched when it is needed and kept for five
                minutes.

        Raises:
            InputError: Not exactly one of the three is given, or it is not usable.
        """
        if sum(each is not None for each in (secret, public_key, jwks)) != 1:
            raise InputError("Tokens are verified with a secret, a public key or a key set: give one of them.")
        if not issuer or not audience:
            raise InputError("Tokens are for somebody, from somebody: give an issuer and an audience.")
        self.issuer = issuer
        self.audience = audience
        self._keys: _One | _Set | _Fetched
        if secret is not None:
            self._keys = _One(_of_secret(secret))
        elif public_key is not None:
            self._keys = _One(_of_pem(public_key))
        elif isinstance(jwks, str):
            self._keys = _Fetched(jwks)
        else:
            self._keys = _Set(_keys_in(jwks or {}))

    async def verify_token(self, token: str) -> AccessToken | None:
        """Verify a token.

        Args:
            token: The token.

        Returns:
            Who it is of, or None if it is not to be believed.
        """
        try:
            key = await self._keys.find(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key[0],
                algorithms=list(key[1]),
                audience=self.audience,
                issuer=self.issuer,
                options={"require": ["exp", "sub", "iss", "aud"]},
            )
            identity_of(claims["sub"])
        except (jwt.PyJWTError, IdentityError, ValueError) as error:
            _log.info("A token was refused: %s", type(error).__name__)
            return None
        return AccessToken(
            token=token,
            client_id=str(claims.get("azp") or claims.get("client_id") or claims["sub"]),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self.audience,
            subject=claims["sub"],
            claims={"iss": self.issuer},
        )


def identity_of(subject: str, tenant: UUID | str | None = None) -> Identity:
    """The user whom a token's subject names, by the same rule as in the database.

    Args:
        subject: The subject.
        tenant: The organisation that they act in.

    Returns:
        The identity.

    Raises:
        IdentityError: It is neither an id nor a name.
    """
    found = subject_id(subject)
    is_id = str(found) == subject.lower()  # in its canonical spelling alone, as in the database
    return Identity.of(found if is_id else subject, tenant)


class _One:
    """One key, whatever a token calls it."""

    def __init__(self, key: Key) -> None:
        self._key = key

    async def find(self, name: object) -> Key | None:
        return self._key


class _Set:
    """The keys of a set, by their names."""

    def __init__(self, keys: Sequence[PyJWK]) -> None:
        self._keys = keys

    async def find(self, name: object) -> Key | None:
        return _named(self._keys, name)


class _Fetched:
    """The keys of a set that stands somewhere else."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")):
            raise InputError("The address of a key set begins with https://.")
        self._client = PyJWKClient(url, lifespan=_KEPT, timeout=_PATIENCE)
        self._one = asyncio.Lock()
        self._looked = -_PAUSE

    async def find(self, name: object) -> Key | None:
        async with self._one:
            found = _named(await self._get(refresh=False), name)
            if found is None and time.monotonic() - self._looked >= _PAUSE:  # it may have been changed for a new one
                self._looked = time.monotonic()
                found = _named(await self._get(refresh=True), name)
            return found

    async def _get(self, *, refresh: bool) -> list[PyJWK]:
        keys = await asyncio.to_thread(self._client.get_jwk_set, refresh)
        return [key for key in keys.keys if _signs(key)]


def _named(keys: Sequence[PyJWK], name: object) -> Key | None:
    """The key of a name; a token without one means the only key that there is."""
    found = [key for key in keys if key.key_id == name] if name is not None else list(keys) if len(keys) == 1 else []
    return (found[0].key, [found[0].algorithm_name]) if found else None


def _signs(key: PyJWK) -> bool:
    """Whether it is a public key for signatures: a secret has no place in a set that others may read."""
    return key.key_type in ("RSA", "EC", "OKP") and key.public_key_use in (None, "sig")


def _keys_in(jwks: Mapping[str, Any]) -> list[PyJWK]:
    try:
        keys = [key for key in PyJWKSet.from_dict(dict(jwks)).keys if _signs(key)]
    except (jwt.PyJWTError, AttributeError, TypeError, ValueError) as error:
        raise InputError("That is no set of public keys (a JWKS).") from error
    if not keys:
        raise InputError("There is no public key for signatures in the set.")
    return keys


def _of_secret(secret: str | bytes) -> Key:
    data = secret.encode() if isinstance(secret, str) else secret
    if len(data) < _SHORTEST:
        raise InputError(f"The secret has {len(data)} bytes.", hint=f"Use {_SHORTEST} random ones or more.")
    return data, ("HS256", "HS384", "HS512")


def _of_pem(text: str | bytes) -> Key:
    try:
        key = load_pem_public_key(text.encode() if isinstance(text, str) else text)
    except ValueError as error:
        raise InputError("That is no public key in PEM.") from error
    if isinstance(key, rsa.RSAPublicKey) and key.key_size >= _SMALLEST_RSA:
        return key, ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
    if isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in _CURVES:
        return key, (_CURVES[key.curve.name],)
    if isinstance(key, ed25519.Ed25519PublicKey):
        return key, ("EdDSA",)
    raise InputError("The public key is of no usable kind.", hint="Use RSA of 2,048 bits or more, P-256, or Ed25519.")


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    given = cast("object", claims.get("scope", claims.get("scp", "")))
    return given.split() if isinstance(given, str) else [str(each) for each in cast("list[object]", given or [])]


def key_set_of(where: str) -> Mapping[str, Any] | str:
    """A key set as a command line names it: by its URL, or by the path of a file.

    Args:
        where: The URL or the path.

    Returns:
        The URL, or what is in the file.

    Raises:
        InputError: The file has no JSON in it.
    """
    if "://" in where:
        return where
    try:
        found = cast("object", json.loads(Path(where).read_text(encoding="utf-8")))
    except ValueError as error:
        raise InputError("The file of the key set holds no JSON.") from error
    if not isinstance(found, Mapping):
        raise InputError("That is no set of public keys (a JWKS).")
    return cast("Mapping[str, Any]", found)
