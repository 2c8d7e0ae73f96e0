"""Keys and tokens: what they say of themselves, and those that a server signs."""

from __future__ import annotations

import json
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from jwt.algorithms import ECAlgorithm

from memoranda import TokenSigner, name_id
from memoranda.accesstokens import is_secret, user_of
from memoranda.errors import IdentityError, InputError

SECRET = "a secret that is long enough for HS256"
USER = UUID("11111111-1111-4111-8111-111111111111")


def jwk(key: ec.EllipticCurvePrivateKey) -> dict[str, object]:
    """A key as `supabase gen signing-key` prints one."""
    return {**ECAlgorithm.to_jwk(key, as_dict=True), "kid": "key-1", "alg": "ES256", "use": "sig"}


def test_a_secret_signs_for_a_user_and_not_for_long() -> None:
    token = TokenSigner(SECRET, lifetime=60).sign({"sub": str(USER), "role": "authenticated", "exp": 1, "aud": "x"})
    claims = jwt.decode(token, SECRET, ["HS256"], audience="authenticated")
    assert (claims["sub"], claims["role"], claims["exp"] - claims["iat"]) == (str(USER), "authenticated", 60)


@pytest.mark.parametrize("form", ["mapping", "text", "pem"])
def test_an_asymmetric_key_signs_what_its_public_half_verifies(form: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    forms: dict[str, str | dict[str, object]] = {"mapping": jwk(key), "text": json.dumps(jwk(key)), "pem": pem}
    signer = TokenSigner(forms[form], key_id="key-1" if form == "pem" else None)
    token = signer.sign({"sub": str(USER)})
    assert jwt.get_unverified_header(token) == {"alg": "ES256", "kid": "key-1", "typ": "JWT"}
    assert jwt.decode(token, key.public_key(), ["ES256"], audience="authenticated")["sub"] == str(USER)


def test_rsa_is_named() -> None:
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    token = TokenSigner(pem, algorithm="RS256").sign({"sub": str(USER)})
    assert jwt.decode(token, key.public_key(), ["RS256"], audience="authenticated")["sub"] == str(USER)


def public(key: ec.EllipticCurvePrivateKey) -> str:
    return json.dumps({name: value for name, value in jwk(key).items() if name != "d"})


NO_KEYS = ["too short", "{}", "{no json", "-----BEGIN PRIVATE KEY-----", "a public key"]


@pytest.mark.parametrize("name", NO_KEYS)
def test_what_cannot_sign_is_refused_at_once_and_not_repeated(name: str) -> None:
    given = public(ec.generate_private_key(ec.SECP256R1())) if name == "a public key" else name
    with pytest.raises(InputError) as refused:
        TokenSigner(given)
    assert given not in str(refused.value)
    assert refused.value.__suppress_context__


def test_a_tokens_subject_is_an_id_or_a_name_as_in_the_database() -> None:
    def named(subject: object) -> UUID:
        return user_of(jwt.encode({"sub": subject} if subject is not None else {}, SECRET))

    assert named(str(USER)) == named(str(USER).upper()) == USER
    assert named("auth0|7") == name_id("user", "auth0|7")
    assert named(USER.hex) == name_id("user", USER.hex)
    for nobody in ("", "  ", str(UUID(int=0)), None):
        with pytest.raises(IdentityError):
            named(nobody)


@pytest.mark.parametrize("token", ["", "alice", "a.b", "a.!.c", "sb_secret_x", f"a.{'x' * 4}.c"])
def test_what_is_no_token_names_nobody(token: str) -> None:
    with pytest.raises(IdentityError) as refused:
        user_of(token)
    assert not token or token not in str(refused.value)


def test_keys_say_whether_they_are_secret() -> None:
    assert is_secret("sb_secret_x")
    assert is_secret(jwt.encode({"role": "service_role"}, SECRET))
    assert not is_secret("sb_publishable_x")
    assert not is_secret(jwt.encode({"role": "anon"}, SECRET))
    assert not is_secret("anything")
