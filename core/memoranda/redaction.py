"""Secrets in text: keys, tokens, passwords, card, account and ID numbers, found by their form and masked.

A key is known by the prefix that its issuer gives it, a number by its check digits, a password by the words around it.
Nothing is guessed from how random a word looks: in prose that finds names and compounds, and hides what people said.
So a secret without a form of its own and without words around it is not found.

This is done in Python, before a text goes anywhere, so that a masked secret reaches neither a model nor the database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Policy: TypeAlias = Literal["store", "mask", "refuse"]
"""What is done about a secret: it is stored as it is, masked, or the fact that holds it is refused."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text.

    Attributes:
        kind: What it is, in words.
        start: Where it begins.
        end: Where it is over.
    """

    kind: str
    start: int
    end: int


# Keys and tokens, by what their issuers say of their form.
_KEYS = (
    r"-----BEGIN (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----|.*)"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"  # AWS
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{22,}|\bglpat-[\w-]{20,}"  # GitHub, GitLab
    r"|\bsk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, and others after them
    r"|\b[prs]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}"  # Stripe
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"  # Slack
    r"|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"  # Google
    r"|\bhf_[A-Za-z0-9]{30,}|\bnpm_[A-Za-z0-9]{36}|\bpypi-[\w-]{50,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bdapi[0-9a-f]{32}\b"  # SendGrid, Databricks
    r"|\bdo[oprt]_v1_[0-9a-f]{64}"  # DigitalOcean
    r"|\bsb_secret_[\w-]{20,}|\bsbp_[0-9a-f]{40}"  # Supabase
    r"|\b\d{8,10}:[A-Za-z0-9_-]{35}\b"  # Telegram
    r"|\bAccountKey=[A-Za-z0-9+/=]{40,}|\bAGE-SECRET-KEY-1[A-Z0-9]{58}"  # Azure, age
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"  # JSON Web Tokens
    r"|(?<=[Bb]earer )[\w.~+/-]{16,}=*"
)
# Words that say that a secret follows, and what follows.
_WORD = (
    r"(?:pass ?(?:word|code|phrase)|\bpin(?: code| number)?\b|(?:api|secret|access|private)[ _-]?(?:access[ _-]?)?key"
    r"|(?:access|api|auth|bearer)[ _-]?token|client[ _-]?secret|(?:security|verification) code|\bcvv2?\b|\bcvc\b"
    r"|pass(?:wort|wörter)|kennwort|geheimzahl|mot de passe|code secret|contraseña|clave secreta|senha|parola d'ordine"
    r"|wachtwoord|hasło|пароль|密码|口令|パスワード|暗証番号)"
)
_NUMBER_OF = (
    r"(?:social security|passport|national id(?:entity)?|\bid card|identity card|driver'?s? licen[cs]e|tax id|\bnhs\b"
    r"|\bssn\b|medicare|aadhaar|personalausweis|reisepass|sozialversicherung|steuer-?id|sécurité sociale|passeport"
    r"|pasaporte|\bdni\b|\bcpf\b|codice fiscale|паспорт|身份证|护照|マイナンバー)"
    r"(?:s?-?nummer| ?(?:number|no\.?|numéro|número|号码?))?"
)
_SAYS = (
    r"\s*(?:(?:for|to|of|für|de|pour|para) [^.;:=\n]{1,40}?\s)?"
    r"(?:(?P<says>is|was|are|ist|lautet|war|est|es|è|é|jest|это|[是は])|[:=])\s*"
)
_VALUE = r"(?![\"'“`«「]?\[secret:)(?P<quoted>[\"'“`«「]?)(?P<secret>[^\s\"'”`»」,;]{3,200})"
_SAID = re.compile(_WORD + _SAYS + _VALUE, re.IGNORECASE)
_SAID_NUMBER = re.compile(_NUMBER_OF + _SAYS + r"(?P<secret>[A-Z]{0,3} ?\d[\dA-Z .-]{3,20}[\dA-Z])", re.IGNORECASE)
_KEY = re.compile(_KEYS, re.DOTALL)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s@/]{2,200})@", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[^\W\d_]+[.!?]*")

_DIGITS = re.compile(r"(?<![\w.,-])\d+(?:[ -]\d+)*(?![\w-])")
_GROUP = re.compile(r"\d+")
_CARD = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\d-])")
_NINO = re.compile(r"\b(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b")
_CPF = re.compile(r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d\d(?!\d)")
_DNI = re.compile(r"(?<!\w)[\dXYZ]\d{7}-?[A-Z](?!\w)")
_FISCALE = re.compile(r"\b[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]\b")
_RESIDENT = re.compile(r"(?<!\w)[1-9]\d{5}(?:19|20)\d\d[01]\d[0-3]\d{4}[\dX](?!\w)")


def find_secrets(text: str) -> list[Secret]:
    """Find the secrets in a text.

    Args:
        text: The text.

    Returns:
        The secrets, in their order; none overlaps another.
    """
    found: list[Secret] = []
    for secret in sorted(_all(text), key=lambda each: (each.start, -each.end)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
    return found


def masked(text: str) -> str:
    """A text with a mark in the place of each secret.

    Args:
        text: The text.

    Returns:
        The text; ``[secret: card number]`` says what was there.
    """
    for secret in reversed(find_secrets(text)):
        text = f"{text[: secret.start]}[secret: {secret.kind}]{text[secret.end :]}"
    return text


def has_secret(text: str) -> bool:
    """Whether a text holds a secret, or the mark of one.

    Args:
        text: The text.
    """
    return "[secret: " in text or bool(find_secrets(text))


def _all(text: str) -> Iterator[Secret]:
    yield from (Secret("key", *match.span()) for match in _KEY.finditer(text))
    yield from (Secret("password", *match.span("secret")) for match in _URL.finditer(text))
    for match in _SAID.finditer(text):
        # "The password is weak" tells none, as "my password: weak" does.
        if match["quoted"] or not match["says"] or not _PLAIN_WORD.fullmatch(match["secret"]):
            end = match.end("secret") - len(match["secret"]) + len(match["secret"].rstrip(".!?)"))
            yield Secret("password", match.start("secret"), end)
    yield from (Secret("ID number", *match.span("secret")) for match in _SAID_NUMBER.finditer(text))
    for run in _DIGITS.finditer(text):
        yield from (Secret("card number", *place) for place in _cards(text, run))
    for kind, pattern, is_one in _CHECKED:
        yield from (Secret(kind, *match.span()) for match in pattern.finditer(text) if is_one(match[0]))


def _cards(text: str, run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where cards are in a run of digits: neighbouring groups that make one together."""
    groups = [group.span() for group in _GROUP.finditer(text, *run.span())]
    for first, (start, _) in enumerate(groups):
        for _, end in groups[first : first + 19]:
            if end - start > 40:
                break
            if end - start >= 13 and _is_card(text[start:end]):
                yield start, end


def _digits(text: str) -> list[int]:
    return [int(character) for character in text if character.isdecimal()]


def _is_card(text: str) -> bool:
    """By its issuer's range, and Luhn's check digit."""
    plain = text.replace(" ", "").replace("-", "")
    if not _CARD.fullmatch(plain):
        return False
    digits = _digits(plain)
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """By ISO 7064, modulo 97."""
    plain = text.replace(" ", "")
    return 15 <= len(plain) <= 34 and int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def _is_cpf(text: str) -> bool:
    digits = _digits(text)
    for length in (9, 10):
        total = sum(digit * weight for digit, weight in zip(digits[:length], range(length + 1, 1, -1), strict=True))
        if total * 10 % 11 % 10 != digits[length]:
            return False
    return len(set(digits)) > 1


def _is_dni(text: str) -> bool:
    number, letter = text[:8].translate(str.maketrans("XYZ", "012")), text[-1]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == letter


def _is_resident(text: str) -> bool:
    """By ISO 7064, modulo 11-2, as in China."""
    values = [10 if character == "X" else int(character) for character in text]
    return sum(value * pow(2, 17 - place, 11) for place, value in enumerate(values)) % 11 == 1


def _by_form(text: str) -> bool:
    return True


_CHECKED: Iterable[tuple[str, re.Pattern[str], Callable[[str], bool]]] = (
    ("account number", _IBAN, _is_iban),
    ("ID number", _SSN, _by_form),
    ("ID number", _NINO, _by_form),
    ("ID number", _CPF, _is_cpf),
    ("ID number", _DNI, _is_dni),
    ("ID number", _FISCALE, _by_form),
    ("ID number", _RESIDENT, _is_resident),
)
