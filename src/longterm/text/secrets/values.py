"""Whether what follows "the password is" is a password, or only "wrong"."""

import re
from dataclasses import dataclass

from longterm.text.secrets.placeholders import is_placeholder

_VALUE = re.compile(
    r"\"(?P<double>[^\"\n]{1,128})\"|'(?P<single>[^'\n]{1,128})'|`(?P<back>[^`\n]{1,128})`"
    r"|“(?P<curly>[^”\n]{1,128})”|„(?P<low>[^“”\n]{1,128})[“”]|\u2018(?P<half>[^\u2019\n]{1,128})\u2019"
    r"|«\s?(?P<angle>[^»\s][^»\n]{0,127}?)\s?»|(?P<bare>[^\s\"'`“„\u2018«<>\[\]{}]{1,128})"
)
_ROUTER_DIGITS = 10
_TRAILING = ".,;:?)"
_CLAUSE_END = re.compile(r"[\"'`”)]{0,4}(?:[.!;,)]|\s{0,8}$|[ \t]{0,8}\n)")
_COUNTED = re.compile(
    r"[\s-]{0,3}(?:char|digit|letter|number|symbol|word|bit|byte|day|week|month|year|hour|minute"
    r"|second|time|attempt|%)",
    re.IGNORECASE,
)

_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2019/._][^\W\d_]+)*")

# "v3ry.L0ud": digits in the place of letters, which names in programs do not have.
_LEET = re.compile(r"[a-z][0-9][a-z]|\b[0-9][a-z]{2}", re.IGNORECASE)

# `settings.password`, `getpass()`, `os.environ["PASSWORD"]`: where a program finds it.
_PROGRAM = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[(\[]?.*|[A-Za-z_][\w.]*\(.*|[a-z]+://.*|[/~].*"
)
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")

_TECHNICAL = re.compile(
    r"1password\w*|o?auth-?[0-9.]*|oauth[0-9].*|sha-?[0-9].*|md5.*|base-?(?:16|32|58|64).*|b?crypt.*"
    r"|scrypt.*|argon2.*|pbkdf2.*|aes-?[0-9].*|rsa-?[0-9].*|utf-?(?:8|16).*|[0-9]?fa|[0-9]+-?factor.*"
    r"|v?[0-9]+(?:\.[0-9]+)+|[0-9]{1,3}(?:st|nd|rd|th|x|s|h|d|%)|[0-9]+-?(?:char|digit|day|letter).*"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}/[0-9]{1,2}|[a-z]+[0-9]\.[0-9]+",
    re.IGNORECASE,
)

# What people say about a password instead of saying it.
_ABOUT = re.compile(
    r"a|an|the|this|that|these|those|it|its|my|your|our|his|her|their|mine|yours|one|same|not|now|no"
    r"|never|always|already|also|only|just|too|so|very|quite|really|still|again|here|there|where"
    r"|when|what|which|how|why|who|if|or|and|but|as|at|by|for|from|in|of|on|to|with|about|like|than"
    r"|wrong|incorrect|correct|right|invalid|valid|weak|strong|stronger|short|shorter|long|longer"
    r"|old|new|bad|good|fine|ok|okay|easy|hard|simple|safe|unsafe|secure|insecure|secret|private"
    r"|public|unique|common|different|identical|empty|blank|missing|gone|lost|stolen|broken"
    r"|known|unknown|hidden|forgotten|written|taken|given|shown|sent|set|reset|kept|made|up|out"
    r"|down|off|default|required|optional|mandatory|necessary|needed|random|temporary|permanent"
    r"|required|case-sensitive|everything|something|anything|nothing|important|crucial|vital"
    r"|must|should|can|could|will|would|may|might|do|does|did|be|been|being|is|are|was|were|has"
    r"|have|had|use|used|using|please|see|check|enter|create|choose|make|change|keep|ask|tell"
    r"|sure|impossible|plain|plaintext|text|clear|cleartext|string|hash|salt|bytes|ready|due|dead"
    r"|obvious|terrible|awful|stupid|silly|great|nice|perfect|better|best|worse|worst|enough"
    r"|complex|complicated|ridiculous|sensitive|confidential|classified|admin|user|username|email"
    r"|funny|hilarious|clever|cool|weird|strange|lame|cute|boring|annoying|tricky|painful"
    r"|manager|policy|field|input|prompt|login|account|forgot|asterisks|dots|stars|hard-coded"
    r"|falsch|richtig|weg|zu|nicht|sehr|sicher|unsicher|geheim|neu|alt|incorrecta|correcta|segura"
    r"|incorrect|oublié|faux|bon|mauvais|trop|muy|no|la|el|le|les|un|une|una|der|die|das|ein|eine",
    re.IGNORECASE,
)
_JOINING = re.compile(r"of|the|to|and|in|on|as|for|by|a|an|so|not|is|or", re.IGNORECASE)
_PARTICIPLE = re.compile(r".+(?:ed|ing|ly|able|ible|ful|less|ive|ous|ent|ant|ert)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Value:
    """What stands where a password may, and how it stands there."""

    text: str
    start: int
    is_quoted: bool
    ends_clause: bool
    is_counted: bool

    @property
    def end(self) -> int:
        """Where it ends in the text it was read from."""
        return self.start + len(self.text)


def read(text: str, start: int) -> Value | None:
    """The word or quotation at `start`; None when there is neither."""
    match = _VALUE.match(text, start)
    if match is None or match.lastgroup is None:
        return None
    found = match[match.lastgroup]
    is_quoted = match.lastgroup != "bare"
    if not is_quoted:
        found = found.rstrip(_TRAILING)
    begin = match.start(match.lastgroup)
    end = begin + len(found)
    return Value(
        text=found,
        start=begin,
        is_quoted=is_quoted,
        ends_clause=bool(_CLAUSE_END.match(text, end)),
        is_counted=found.isdigit() and bool(_COUNTED.match(text, end)),
    )


def is_password(value: Value) -> bool:
    """After "the password is": a random word, or one that says nothing about passwords."""
    return is_telling(value) or (_is_possible(value) and _is_odd_word(value))


def is_telling(value: Value) -> bool:
    """A password by its looks: quoted in one word, or with more than letters in it."""
    if not _is_possible(value) or value.is_counted:
        return False
    if _WORD.fullmatch(value.text):
        return _is_row_of_words(value.text) or (value.is_quoted and not is_about(value.text))
    return True


def is_striking(value: Value) -> bool:
    """Beside the bare word "password": quoted, or with one of the marks that sites ask for."""
    is_marked = len(value.text) >= 8 and any(mark in value.text for mark in "!@#$%^&*?+=~")
    if value.text.isdigit():
        # As printed on routers.
        return len(value.text) >= _ROUTER_DIGITS
    return is_telling(value) and _is_mixed(value.text) and (is_marked or value.is_quoted)


def is_striking_word(value: Value) -> bool:
    """A word that looks like a password wherever it stands: letters, digits or marks."""
    return is_telling(value) and _is_mixed(value.text) and len(value.text) >= 5


def is_mixed_word(value: Value) -> bool:
    """Behind a word that is much else, too: one word with letters and digits or marks in it."""
    return is_telling(value) and len(value.text) >= 6 and _is_mixed(value.text)


def is_marked_word(value: Value) -> bool:
    """Near the word "password": letters with digits among them, or with marks between them."""
    letters = any(map(str.isalpha, value.text))
    has_mark = letters and any(mark in value.text[1:-1] for mark in "!#$%&*?+=~_^")
    return is_mixed_word(value) or (has_mark and len(value.text) >= 8 and is_telling(value))


def is_answer(value: Value) -> bool:
    """Behind a question about a password: one word with digits in it that ends what is said."""
    return value.ends_clause and is_mixed_word(value)


def is_key(value: Value) -> bool:
    """After "the API key is": eight characters and more, letters and digits."""
    return _is_possible(value) and len(value.text) >= 8 and _is_mixed(value.text)


def is_long_key(value: Value) -> bool:
    """After "the secret is" or "token:", which stand for much else too."""
    return is_key(value) and len(value.text) >= 16 and " " not in value.text


def _is_mixed(text: str) -> bool:
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def _is_possible(value: Value) -> bool:
    """Long enough, one word, and neither an example, nor a program's, nor a technical term."""
    text = value.text
    return not (
        len(text) < 4
        or not _is_one_word(value)
        or is_placeholder(text)
        or _is_of_program(text)
        or _ADDRESS.fullmatch(text)
        or _TECHNICAL.fullmatch(text)
    )


def _is_of_program(text: str) -> bool:
    is_leet = "(" not in text and "/" not in text and _LEET.search(text) is not None
    return not is_leet and _PROGRAM.fullmatch(text) is not None


def _is_one_word(value: Value) -> bool:
    """Or a few words in quotes with a number among them, as routers have them."""
    if " " not in value.text:
        return True
    return value.is_quoted and value.text.count(" ") < 4 and any(map(str.isdigit, value.text))


def _is_row_of_words(text: str) -> bool:
    """correct-horse-battery-staple, and not state-of-the-art."""
    parts = text.split("-")
    return len(parts) >= 4 and not any(map(_JOINING.fullmatch, parts))


def _is_odd_word(value: Value) -> bool:
    # In the middle of a clause a plain word goes on to say something else.
    return value.ends_clause and not value.is_counted and not is_about(value.text)


def is_about(word: str) -> bool:
    """Whether a word says something about a password instead of being one."""
    parts = re.split(r"[-'\u2019/._]", word)
    return any(_ABOUT.fullmatch(part) or _PARTICIPLE.fullmatch(part) for part in parts)
