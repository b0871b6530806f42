"""Names of national, tax and health ids, each with the form of its number.

Beside its name a number needs no check digit: the form is enough. A form is written for the number
without blanks, dots, dashes and slashes.
"""

import re
from collections.abc import Iterator

from longterm.text.secrets.secret import Kind, Secret
from longterm.text.secrets.surroundings import is_harmless

_SEPARATORS = str.maketrans("", "", " .-/")

_TABLE: tuple[tuple[str, str], ...] = (
    (r"ssn|social(?: security| sec)?(?: (?:number|no|num))?|soc sec|itin|ni?ss", r"[0-9]{9}|[0-9]{11}"),
    (r"tax(?:payer)? ?(?:id|number|no|identification)\w*|tin|(?-i:TIN)", r"[0-9]{8,12}[A-Z]{0,2}"),
    (r"national insurance|ni (?:number|no)|nino", r"[A-Z]{2}[0-9]{6}[A-D]?"),
    (r"nhs(?: (?:number|no))?|chi number", r"[0-9]{10}"),
    (r"pps(?:n| (?:number|no))?", r"[0-9]{7}[A-Z]{1,2}"),
    (r"bsn|burgerservicenummer|sofi-?nummer", r"[0-9]{8,9}"),
    (r"rijksregister(?:nummer)?|insz|niss|numéro national|registre national", r"[0-9]{11}"),
    (r"pesel|oib|isikukood|asmens kodas|amka|jmbg|cnp", r"[0-9]{11,13}"),
    (r"egn|taj(?:[- ]szám)?|rodné číslo|nip|afm", r"[0-9]{9,10}"),
    (r"person(?:al)? ?(?:identity )?(?:nummer|number)|samordningsnummer", r"(?:[0-9]{2})?[0-9]{10}"),
    (r"(?-i:CPR)(?:[- ]?(?:nummer|number|nr))?|kennitala", r"[0-9]{10}"),
    (r"fødselsnummer|fodselsnummer", r"[0-9]{11}"),
    (r"hetu|henkilötunnus|personal identity code", r"[0-9]{6}[+A-F]?[0-9]{3}[0-9A-Z]"),
    (r"ahv(?:[- ]?(?:nummer|nr|number))?|avs|oasi|sozialversicherungsnummer", r"756[0-9]{10}|[0-9]{10}|[0-9]{8}[A-Z][0-9]{3}"),
    (r"svnr|sv-?nummer|rentenversicherungsnummer|rvnr", r"[0-9]{10}|[0-9]{8}[A-Z][0-9]{3}"),
    (r"krankenversicherten-?(?:nummer|nr)|versichertennummer|kvnr", r"[A-Z][0-9]{9}"),
    (r"steuer-?(?:id(?:entifikations)?(?:-?nummer|nr)?|nummer|nr)|idnr|steueridentifikationsnummer", r"[0-9]{10,13}"),
    (r"numéro fiscal|(?-i:SPI)|numéro de sécu\w*(?: sociale)?|sécurité sociale|nir|carte vitale", r"[0-9]{13}|[12][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{6}(?:[0-9]{2})?"),
    (r"dni|nie|nif|número de identidad|documento (?:nacional )?de identidad", r"[0-9]{7,9}[A-Z]?|[XYZKLM][0-9]{7}[A-Z]"),
    (r"contribuinte|número de contribuinte|niss|número de utente|utente|sns", r"[0-9]{9,11}"),
    (r"cart[ãa]o (?:de|do) cidad[ãa]o", r"[0-9]{8}[0-9A-Z]{0,4}"),
    (r"seguridad social|seguro social|imss|nss|cuil|cuit", r"[0-9]{11,12}"),
    (r"codice fiscale|cod\.? ?fisc\w{0,4}|tessera sanitaria", r"[A-Z]{6}[0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]|[0-9]{20}"),
    (r"carta d['\u2019]identità", r"[A-Z]{2}[0-9]{5}[A-Z]{2}|[A-Z]{2}[0-9]{7}"),
    (r"cpf", r"[0-9]{11}"),
    (r"(?-i:RG|PIS|NIS)|pis/pasep|t[íi]tulo de eleitor|cnh", r"[0-9]{8,12}[0-9X]?"),
    (r"curp", r"[A-Z]{4}[0-9]{6}[A-Z]{6}[0-9A-Z]{2}"),
    (r"rfc", r"[A-Z]{4}[0-9]{6}[0-9A-Z]{3}"),
    (r"rut", r"[0-9]{7,8}[0-9K]"),
    (r"c[ée]dula", r"[0-9]{6,11}"),
    (r"aadhaar|aadhar|uidai|my ?number|mynumber|mykad|cccd", r"[0-9]{12}"),
    (r"(?-i:PAN)(?: (?:card|number|no))?|pan (?:card|number|no)", r"[A-Z]{5}[0-9]{4}[A-Z]"),
    (r"nric|fin number|(?-i:FIN)", r"[STFGM][0-9]{7}[A-Z]"),
    (r"hkid(?: card)?", r"[A-Z]{1,2}[0-9]{6}\(?[0-9A]\)?"),
    (r"(?-i:SIN)|social insurance(?: number)?|tfn|tax file number|ird(?: number)?", r"[0-9]{8,9}"),
    (r"medicare(?: (?:number|no|card|id))?", r"[0-9]{10,11}|[0-9][A-Z][A-Z0-9][0-9][A-Z][A-Z0-9][0-9][A-Z]{2}[0-9]{2}"),
    (r"(?:ohip|health card|health insurance|ramq|ehic|insurance member)(?: (?:number|no|id|card))?", r"(?=(?:.*[0-9]){6})[A-Z0-9]{8,20}"),
    (r"nhi(?: (?:number|no))?", r"[A-Z]{3}[0-9]{4}|[A-Z]{3}[0-9]{2}[A-Z]{2}"),
    (r"(?:chinese|resident|national|citizen|citizenship|personal|identity|government|sa|thai|korean)? ?"
     r"(?:id|identity|identification)(?: card)? (?:number|no|nr)|national id\w*|id card|identity card|身份证号?码?"
     r"|주민등록번호|kimlik(?: no)?|teudat zehut|emirates id|iqama|rrn|(?-i:NIK|NIN|BVN)",
     r"[0-9]{17}[0-9X]|[0-9]{10,16}|[0-9]{9}|[A-Z]{1,3}[0-9]{6,9}[A-Z0-9]{0,2}"),
    (r"green card|alien (?:registration )?number|uscis(?: number)?|a-number", r"A?[0-9]{8,9}|[A-Z]{3}[0-9]{10}"),
    (r"(?:personal)?ausweis(?:nummer|nr|-nr)?|perso(?:nummer)?", r"[A-Z0-9]{9,10}"),
)  # fmt: skip

_BANK_TABLE: tuple[tuple[str, str], ...] = (
    (r"routing(?: number| no)?|aba(?: number)", r"[0-9]{9}"),
    (r"(?:bank|checking|current|savings) account(?: number| no)?|account (?:number|no)|acct(?: no)?|kontonummer", r"[0-9]{8,14}"),
    (r"sort code", r"[0-9]{6}"),
)  # fmt: skip

LABEL = "|".join(label for label, _ in _TABLE)
_LABEL = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(f'(?P<form{place}>{label})' for place, (label, _) in enumerate((*_TABLE, *_BANK_TABLE)))})(?![^\W_])",
    re.IGNORECASE,
)
_FORMS = [re.compile(form) for _, form in (*_TABLE, *_BANK_TABLE)]

# How far a number may stand from its name.
_REACH = 60
_LONGEST = 30
_SENTENCE_END = re.compile(r"[?!]|(?<!no)(?<!nr)\.\s|\n", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w+.,/-])[A-Za-z0-9]{1,20}+(?:[ ./+-]{1,2}[A-Za-z0-9()]{1,20}+){0,7}")
_GROUP = re.compile(r"[A-Za-z0-9()]+")
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:19|20)[0-9]{2}"
)

# The lines at the foot of a passport or an identity card.
_MACHINE_READABLE = re.compile(
    r"(?<![A-Z0-9<])(?=[A-Z0-9]{0,40}<)[A-Z0-9<]{28,46}(?:\s{1,2}[A-Z0-9<]{28,46}){0,2}(?![A-Z0-9<])"
)


def find(text: str) -> Iterator[Secret]:
    """Ids beside their names, and the lines of passports that machines read."""
    for label in _LABEL.finditer(text):
        place = int((label.lastgroup or "form0")[4:])
        kind: Kind = "national id" if place < len(_TABLE) else "bank account"
        stop = _SENTENCE_END.search(text, label.end(), label.end() + _REACH)
        last = stop.start() if stop else label.end() + _REACH
        for number in _NUMBER.finditer(text, label.end(), last + _LONGEST):
            if number.start() > last:
                break
            span = _fitting(text, number, _FORMS[place])
            if span and not is_harmless(text, span[0]):
                yield Secret(kind, *span)
                break
    for match in _MACHINE_READABLE.finditer(text):
        if match[0].count("<") >= 2 and sum(map(str.isdigit, match[0])) >= 6:
            yield Secret("national id", match.start(), match.end())


def _fitting(text: str, number: re.Match[str], form: re.Pattern[str]) -> tuple[int, int] | None:
    """The groups of characters that make a number of this form, the longest first."""
    groups = [each.span() for each in _GROUP.finditer(text, number.start(), number.end())]
    are_words = [_is_word(text[start:end]) for start, end in groups]
    for first in range(len(groups)):
        for last in range(len(groups) - 1, first - 1, -1):
            start, end = groups[first][0], groups[last][1]
            if any(are_words[first : last + 1]):
                continue
            bare = text[start:end].upper().translate(_SEPARATORS)
            if form.fullmatch(bare) and not _DATE.fullmatch(text[start:end]):
                return start, end
    return None


def _is_word(group: str) -> bool:
    return group.isalpha() and not group.isupper()
