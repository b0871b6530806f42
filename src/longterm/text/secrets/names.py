"""Names of secrets: a value beneath the key `wifi_password` is one, whatever it looks like."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from longterm.text.secrets import values
from longterm.text.secrets.passwords import NAME
from longterm.text.secrets.phrases import SENTENCE_WORD
from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.secret import Kind

# "wifi password", "Kreditkartennummer": in most languages the thing comes last. "senha do banco",
# "password for the bank": in the others, and with these words, it comes first.
_FIRST = (
    r"(?: (?:for|of|to|on|für|von|vom|zum|zur|de|du|des|del|della|do|da|dos|das|para|pour|per|di"
    r"|wi ?fi|wlan|router|bank)(?: .{0,60})?)?"
)


def _named(names: str) -> re.Pattern[str]:
    return re.compile(rf"(?:.{{0,80}} )?(?:{names}){_FIRST}", re.IGNORECASE)


_PASSWORD = _named(
    rf"\S{{0,20}}?(?:{NAME})s?|passw[oö]rter|kennwörter|pass|psk|wpa2?|secret|credentials?"
    r"|(?:mot de passe|mdp|contraseña|contrasena|senha)(?: \S{1,20}){1,3}"
    r"|login credentials|zugangsdaten|mots? de passe|palavra passe|parola d ordine|clave(?: secreta)?"
)
_CODE = _named(
    r"\S{0,12}-?pin|pins|pin (?:code|number)|puk|cvv2?|cvc2?|tan|digicode"
    r"|(?:alarm|door|gate|garage|entry|safe|lock|locker|security|access|unlock|card) ?code"
    r"|combination|(?:tür|alarm|tor|safe)code"
    r"|(?:backup|recovery|rescue|emergency) codes?|wiederherstellungscodes?"
)
_KEY = _named(
    r"(?:\S{1,20} )?(?:api|access|secret|private|signing|encryption|master|auth|maps|service|account"
    r"|client|webhook|license|ssh|wallet) ?(?:api |access )?(?:keys?|tokens?|secrets?)|tokens?"
    r"|(?:openai|anthropic|claude|gemini|google|github|gitlab|aws|azure|stripe|twilio|slack|groq"
    r"|mistral|cohere|hugging ?face|hf|deepl|notion|openrouter|spotify|paypal|weather) keys?"
    r"|apikey|api ?schlüssel|(?:totp|otp|2fa|mfa) (?:secret|seed|key)|authorization|bearer|jwt"
    r"|cookie|session id|(?:clé|clave|chiave|chave) (?:d )?api"
)
_SEED = _named(
    r"(?:seed|recovery|mnemonic|backup|wallet|secret) ?(?:phrase|words|seed)|seed|mnemonic"
)
_IDENTITY = _named(
    r"(?:passport|reisepass|passeport|pasaporte|passaporto|passaporte)"
    r"(?: ?(?:number|no|nr|nummer|id))?|passnummer|ssn|social security(?: number)?"
    r"|driv(?:er|ing)(?: ?s)? licen[cs]e(?: number)?|führerscheinnummer|national id"
    r"|personalausweisnummer|codice fiscale|dni|nie|cpf|aadhaar|steuer ?id|tax id"
)
_ACCOUNT = _named(
    r"credit ?card(?: number)?|debit ?card(?: number)?|card (?:number|no)|kreditkarten?(?:nummer)?"
    r"|iban|bank account(?: number)?|account number|kontonummer"
)

# What is said about a secret beneath its name: `password: {changed_at: …}`.
_ABOUT = re.compile(
    r"(?:.{0,60} )?(?:at|on|by|policy|hint|required|length|manager|managers|expires|expiry|status"
    r"|type|enabled|count|limit|budget|min|max|rotation|url|user|username|email|site|country|date"
    r"|since|kind|label|provider|issuer|format)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[\W_]+|(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_EXTENSION = re.compile(r"\.(?:md|txt|json|ya?ml|toml|env)$", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]")
_CODE_VALUE = re.compile(r"[0-9A-Za-z*# .,-]{3,80}")
_ID_VALUE = re.compile(r"[0-9A-Za-z .,/-]{5,40}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
_LONGEST_NAME = 200


def kind_of(names: Sequence[str], value: str) -> Kind | None:
    """The kind of secret that a value beneath these names is, from the outermost name on."""
    plain = [_plain(name) for name in names]
    if plain and _ABOUT.fullmatch(plain[-1]):
        return None
    text = value.strip()
    # Codes such as 1111 are chosen by people; only words stand for something else.
    if not text or (not text.isdigit() and is_placeholder(text)):
        return None
    named = {place for name in plain for place in _named_kinds(name)}
    for place, (_, kind, accepts) in enumerate(_KINDS):
        if place in named and accepts(text):
            return kind
    return None


@lru_cache(maxsize=1024)
def _named_kinds(name: str) -> tuple[int, ...]:
    """Which of the kinds a name is a name of; memories have few different ones."""
    return tuple(place for place, (pattern, _, _) in enumerate(_KINDS) if pattern.fullmatch(name))


def is_name(text: str) -> bool:
    """Whether a text is the name of a secret: the `wifi password` of `{name: …, value: …}`."""
    return len(text) <= _LONGEST_NAME and bool(_named_kinds(_plain(text)))


def _plain(name: str) -> str:
    name = _EXTENSION.sub("", name)
    return " ".join(filter(None, _SPLIT.split(name[:_LONGEST_NAME]))).lower()


def _is_password(text: str) -> bool:
    """One word that says nothing about passwords, a marked word among several, or a bare phrase."""
    words = text.split()
    if len(words) == 1:
        value = _value(text)
        return value is not None and values.is_password(value)
    if any((value := _value(word)) and values.is_striking_word(value) for word in words):
        return True
    return len(words) <= 8 and not any(map(_is_of_a_sentence, words))


def _value(text: str) -> values.Value | None:
    return values.read(text, 0)


def _is_of_a_sentence(word: str) -> bool:
    word = word.strip(".,;:!?").lower()
    return bool(SENTENCE_WORD.fullmatch(word)) or values.is_about(word)


def _is_code(text: str) -> bool:
    return (
        len(_DIGITS.findall(text)) >= 3
        and bool(_CODE_VALUE.fullmatch(text))
        and not _DATE.fullmatch(text)
        and not re.search(r"[A-Za-z]{5}", text)
    )


def _is_key(text: str) -> bool:
    value = _value(text.split()[-1])
    return value is not None and values.is_key(value) and len(text.split()) <= 2


def _is_phrase(text: str) -> bool:
    return len(text.split()) >= 12


def _is_id(text: str) -> bool:
    return (
        len(_DIGITS.findall(text)) >= 5
        and bool(_ID_VALUE.fullmatch(text))
        and not _DATE.fullmatch(text)
        and not re.search(r"[A-Za-z]{7}| [a-z]{2,} ", text)
    )


_KINDS: tuple[tuple[re.Pattern[str], Kind, Callable[[str], bool]], ...] = (
    (_PASSWORD, "password", _is_password),
    (_CODE, "password", _is_code),
    (_KEY, "api key", _is_key),
    (_SEED, "seed phrase", _is_phrase),
    (_IDENTITY, "national id", _is_id),
    (_ACCOUNT, "bank account", _is_id),
)
