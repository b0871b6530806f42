"""A list such as "Name: Ada, City: Rome" under a heading that says whose it is."""

import re
from collections.abc import Iterator
from itertools import islice

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.masking import OWN_LIST

_ENTRY = re.compile(
    r"(?im)^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*\**(?P<label>[a-z][a-z ]{2,18}?)\**[ \t]*[:=]\**[ \t]*"
    r"(?P<value>[^\n]{1,80}?)[ \t.]*$"
)
_MOST_ENTRIES = 40
_SAYS = {
    "My name is": "name|full name|first name",
    "Call me": "nickname|preferred name",
    "My pronouns are": "pronouns",
    "I live in": "location|city|home|lives? in|based in|residence|country",
    "I'm from": "from|hometown|origin",
    "I work as a": "job|occupation|profession|role|work|job title",
    "I work at": "employer|company|workplace",
    "I'm": "diet",
    "I'm allergic to": "allergies|allergy|allergic to",
    "I speak": "languages?",
    "My birthday is": "birthday|date of birth|dob|birth date",
    "My timezone is": "time ?zone|tz",
    "I like": "likes|hobbies|interests|loves",
    "I hate": "dislikes|hates",
    "I use": "editor|ide|os|operating system|browser|shell|tools|stack",
}
_LABELS = [(lead, re.compile(rf"(?i)(?:{labels})")) for lead, labels in _SAYS.items()]


def entries(text: str) -> Iterator[Clause]:
    """The entries of the list as the sentences that they stand for."""
    heading = OWN_LIST.search(text)
    found_entries = _ENTRY.finditer(text, heading.end()) if heading else ()
    for found in islice(found_entries, _MOST_ENTRIES):
        for lead, labels in _LABELS:
            if labels.fullmatch(found["label"].strip()):
                said = f"{lead} {' '.join(found['value'].split())}"
                yield Clause(text=said, start=found.start("value"), end=found.end("value"))
