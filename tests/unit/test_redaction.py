"""Secrets that are found in text, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda.redaction import find_secrets, masked

# Put together, so that no scanner takes this file for a leak.
TOKEN = "abcd1234EFGH5678ijkl9012MNOP3456qrst7890"
KEYS = [
    "sk-" + TOKEN,
    "sk-proj-" + TOKEN,
    "sk-ant-api03-" + TOKEN,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + TOKEN,
    "github_pat_" + TOKEN,
    "glpat-" + TOKEN,
    "sk_live_" + TOKEN,
    "rk_test_" + TOKEN,
    "xoxb-123456789012-" + TOKEN,
    "AIza" + TOKEN[:35],
    "hf_" + TOKEN,
    "npm_" + TOKEN[:36],
    "SG." + TOKEN[:22] + "." + TOKEN,
    "sb_secret_" + TOKEN,
    "123456789:" + TOKEN[:35],
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + TOKEN,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("key", KEYS, ids=[key[:12] for key in KEYS])
def test_keys_are_known_by_what_their_issuers_give_them(key: str) -> None:
    assert masked(f"Use {key} for the build") == "Use [secret: key] for the build"
    assert masked(key) == "[secret: key]"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My card is |4111 1111 1111 1111|.", "card number"),
        ("Pay with |5555-5555-5555-4444|, please", "card number"),
        ("amex |378282246310005|", "card number"),
        ("order 123 |4111 1111 1111 1111| 456", "card number"),
        ("IBAN |DE89 3704 0044 0532 0130 00|", "account number"),
        ("to |GB82WEST12345698765432|", "account number"),
        ("My SSN is |078-05-1120|", "ID number"),
        ("my NI number: |AB 12 34 56 C|", "ID number"),
        ("CPF |111.444.777-35|", "ID number"),
        ("DNI |12345678Z|", "ID number"),
        ("codice fiscale |RSSMRA85T10A562S|", "ID number"),
        ("身份证 |11010519491231002X|", "ID number"),
        ("My passport number is |C01X00T47|", "ID number"),
        ("my password is |hunter2|", "password"),
        ("password: |swordfish|", "password"),
        ('The wifi password is "|swordfish|"', "password"),
        ("the password for the wifi is |Tr0ub4dor&3|.", "password"),
        ("PIN = |4711|", "password"),
        ("mein Passwort lautet |geheim123|", "password"),
        ("mon mot de passe est |azerty99|", "password"),
        ("mi contraseña es |gatito7|", "password"),
        ("пароль: |кошка|", "password"),
        ("密码是|abc12345|", "password"),
        ("postgres://me:|s3cret|@db.example.com/x", "password"),
        ("aws_secret_access_key = |wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|", "password"),
    ],
)
def test_numbers_and_passwords_are_found(text: str, kind: str) -> None:
    before, secret, after = text.split("|")
    assert masked(before + secret + after) == f"{before}[secret: {kind}]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "I live at 221b Baker Street, and I like tea.",
        "My secret is that I love jazz.",
        "The password is weak.",
        "I forgot my password again",
        "My key: currency",
        "Call me at +47 22 33 44 55 or 0151 12345678.",
        "My order is 20261130-4471, not 4111 1111 1111 1112.",
        "She was born on 1990-05-17.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "https://example.com:8080/a?token=b",
        "The user ID is 12345678A and CPF 111.444.777-36",
        "I ate 12 345 678 901 234 567 890 rice grains",
        "Model DE00 1234 5678 9012 3456 is out",
        "The passport office is on 5 Main Street.",
        "I sk-ate, and ghp_ is a prefix.",
        "",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert find_secrets(text) == []
    assert masked(text) == text


def test_several_in_one_text_are_masked_each() -> None:
    text = f"Key {KEYS[0]}, card 4111111111111111, password: a4111111111111111"
    assert masked(text) == "Key [secret: key], card [secret: card number], password: [secret: password]"


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = masked(f"password: {text} 4111111111111111")
    assert masked(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "4 " * 10_000,
        "4111 " * 10_000,
        "1" * 100_000,
        "password " * 20_000,
        "password for " + "a " * 50_000,
        "eyJ" * 50_000,
    ],
)
def test_hostile_texts_take_little_time(text: str) -> None:
    find_secrets(text)
