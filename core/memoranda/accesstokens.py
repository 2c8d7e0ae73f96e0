"""Supabase's keys and tokens: what one says of itself, and tokens that a server signs for its users.

Nothing here believes a token: its signature is looked at where the database is. What it says is read so that a memory
is never bound to one user while its calls carry another's token.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda.errors import IdentityError, InputError, MissingExtraError
from memoranda.identity import subject_id

if TYPE_CHECKING:
    from memoranda.transport import Caller

_SHORTEST = 32
"""Bytes of a secret for HS256, as RFC 7518 has it."""


def claims_of(token: str) -> Mapping[str, Any]:
    """What a token says, unproven.

    Args:
        token: A JWT.

    Returns:
        Its claims.

    Raises:
        IdentityError: It is no JWT. Nothing of it is repeated.
    """
    try:
        payload = token.split(".")[1]
        claims: object = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError):
        claims = None
    if not isinstance(claims, dict):
        raise IdentityError("That is not an access token.", hint="Pass session.access_token.") from None
    return cast("Mapping[str, Any]", claims)


def user_of(token: str) -> UUID:
    """The user whom a token names, as an id.

    Args:
        token: A JWT.

    Returns:
        The user's id.

    Raises:
        IdentityError: It is no JWT, or names nobody.
    """
    return subject_id(claims_of(token).get("sub"))


def is_secret(key: str) -> bool:
    """Whether an API key is one for servers alone.

    Args:
        key: A project's key: `sb_secret_...` or `sb_publishable_...`, or one of the older JWTs.
    """
    if key.startswith("sb_"):
        return key.startswith("sb_secret_")
    try:
        return claims_of(key).get("role") == "service_role"
    except IdentityError:
        return False


def see_that_it_is_theirs(token: str, caller: Caller) -> None:
    """Refuse a token that is another user's than the memory's, or lacks a claim that the memory was bound to.

    Args:
        token: The token that a call would carry.
        caller: As whom the call is to be made.

    Raises:
        IdentityError: They do not agree.
    """
    found = claims_of(token)
    if user_of(token) != UUID(str(caller.claims["sub"])):
        raise IdentityError(
            "The access token is another user's than the memory.", hint="Bind the memory to the token's own user."
        )
    if any(found.get(name) != value for name, value in caller.claims.items() if name not in ("sub", "role")):
        raise IdentityError(
            "The access token lacks a claim of the memory.", hint="Claims are in the token, or nowhere."
        )


class TokenSigner:
    """Signs short-lived tokens for users, with a key that the project trusts: for servers that know their users.

    Whoever holds the key can be any user: it belongs where a service key may be.
    """

    def __init__(
        self,
        key: str | Mapping[str, Any],
        *,
        algorithm: str | None = None,
        key_id: str | None = None,
        lifetime: float = 120.0,
    ) -> None:
        """Take a key; nothing is signed yet.

        Args:
            key: The project's signing key: a private JWK, as a mapping or as JSON; a private key in PEM; or the secret
                of HS256, 32 bytes or more.
            algorithm: How it signs. A JWK says it itself; else it is ES256 for PEM, and HS256 for a secret.
            key_id: Which of the project's keys it is (``kid``), where a JWK does not say it.
            lifetime: Seconds until a token is refused.

        Raises:
            InputError: It is no such key. Nothing of it is repeated.
            MissingExtraError: PyJWT is not installed.
        """
        try:
            import jwt
        except ImportError as error:
            raise MissingExtraError("Signing tokens needs PyJWT.", hint='pip install "memoranda[supabase]"') from error
        self._lifetime, self._encode = lifetime, jwt.encode
        try:
            if isinstance(key, Mapping) or key.lstrip().startswith("{"):
                made = jwt.PyJWK(dict(key) if isinstance(key, Mapping) else json.loads(key), algorithm)
                self._key, self._algorithm, key_id = made.key, made.algorithm_name, key_id or made.key_id
            elif "-----BEGIN" in key:
                self._algorithm = algorithm or "ES256"
                self._key = jwt.get_algorithm_by_name(self._algorithm).prepare_key(key)
            else:
                self._key, self._algorithm = key, algorithm or "HS256"
                if len(key.encode()) < _SHORTEST:
                    raise ValueError
            self._headers = {"kid": key_id} if key_id else None
            self.sign({})
        except (jwt.PyJWTError, AttributeError, NotImplementedError, TypeError, ValueError):  # of a public key, too
            raise InputError(
                "That is no key to sign tokens with.",
                hint="Pass a private JWK, a private key in PEM with its algorithm, or a secret of 32 bytes or more.",
            ) from None

    def sign(self, claims: Mapping[str, object]) -> str:
        """A token with these claims, valid from now on and not for long.

        Args:
            claims: Who it is for; ``aud``, ``iat`` and ``exp`` are set here.

        Returns:
            The token.
        """
        now = int(time.time())
        timed = {**claims, "aud": "authenticated", "iat": now, "exp": now + max(1, int(self._lifetime))}
        return self._encode(timed, self._key, self._algorithm, self._headers)
