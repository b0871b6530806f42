"""What the user works with: editor, system, framework, coding style, time zone."""

import re
from collections.abc import Iterator

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.homes import AM
from longterm.learn.rules.shapes import Rule, apply, propose, several
from longterm.learn.rules.words import TOOLS
from longterm.records.proposal import Proposal

_ADVERBS = (
    r"(?: (?:always|mostly|mainly|usually|only|exclusively|primarily|personally|just|"
    r"still|also|daily|generally|normally|now|currently|actually|typically))*"
)
_USES = re.compile(
    rf"(?i)(?:i{_ADVERBS} (?:use|run|work (?:in|with|on)|code in|write code in|develop"
    r" (?:in|on|with)|swear by|stick with|live in|edit in|edit code in|do (?:all )?my"
    r" (?:coding|work|notes|writing) in|(?:take|keep) (?:my )?notes in|switched to|moved to|build with)|i(?:'ve| have) (?:just |"
    r"recently )?switched (?:from \w+ )?to|i(?:'ve| have) (?:been using|used)(?=.*\b(?:for|since)\b)|i (?:recently |just )?switched from [\w"
    rf" ]{{2,20}} to|{AM}{_ADVERBS} (?:on|running)(?: an?)?|{AM}(?: an?)?(?: avid| heavy| big|"
    r" long-?time| happy)?(?= \S+(?: \S+)? (?:user|person|guy|girl)\b)|my (?:go-?to |main"
    r" |favou?rite |preferred |default |primary )?(?:code )?(?:editor|ide|os|operating"
    r" system|shell|terminal|framework|web framework|database|formatter|browser|package"
    rf" manager|note-?taking app|stack|tech stack)(?: of choice)? is){_ADVERBS} (?P<v>.+)"
)
_ENDS = re.compile(
    r"(?i)\s+(?:as my|for (?:everything|all|most|my|coding|development|work|notes|python|"
    r"web|writing|editing|programming|\w+ development)|at work|at home|on my|every day|"
    r"daily|user|person|guy|girl|because|since|with|instead|over|these|on|rather|when|in|"
    r"to|and (?:i|my|the|it|my)|mostly|by default|fan|so|not|nowadays|exclusively|but|"
    r"professionally|as a|from|for|since)\b.*|,? not .*"
)
_KINDS = [
    (
        kind,
        re.compile(
            rf"(?i){names}(?:\s+(?:linux|\d[\w.]*|pro|stack|lts|sonoma|ventura|monterey|sequoia|tahoe|big sur))?"
        ),
    )
    for kind, names in TOOLS.items()
]

_OFFSET = r"(?:utc|gmt)(?:\s?[+\-–]\s?\d{1,2}(?::?\d\d)?)?"
_ZONE = (
    rf"(?:(?:the )?(?:{_OFFSET}|[ecmp][sd]?t|cest|cet|eest|eet|bst|ist|jst|kst|aest|aedt|"
    r"awst|nzst|nzdt|sgt|hkt|brt|msk|wet|hst|akst|"
    r"(?:(?:us |central )?(?:eastern|central|mountain|pacific|european|indian|japan|"
    r"atlantic|standard|australian|british|moscow|hawaii|alaska|singapore)(?: european|"
    r" standard| daylight| summer| indian)*)(?: time)?"
    r"|(?:europe|america|asia|africa|australia|pacific|"
    r"atlantic)/\w+(?:/\w+)?)(?:\s?\((?:utc|gmt)?[+-]?\d{0,2}\))?)"
)

# "I'm in Singapore", "I'm on et": without "time", these are places and words.
_NOT_ALONE = re.compile(
    r"(?i)(?:pacific|central|eastern|mountain|atlantic|european|indian|japan|standard|australian|"
    r"british|moscow|hawaii|alaska|singapore|mt|et|pt|ct|ist)"
)


def _zone(captured: str) -> list[str]:
    return [] if _NOT_ALONE.fullmatch(captured) else [captured]


_RULES = [
    Rule(
        r"my (?:time ?zone|local time(?: ?zone)?|tz)(?:'s| is| =|:)?(?: actually| now)?"
        rf" (?P<v>{_ZONE}|\w+ time)(?![\w/])",
        "preference",
        "timezone",
        importance=0.7,
    ),
    Rule(
        rf"(?:{AM}|we're|we are|i work|i live)(?: currently| based| located| always| now)*"
        rf" (?:in|on) (?:the )?(?P<v>{_ZONE})(?: time ?zone| time)?(?=$|,| (?:and|so|time|here|"
        r"but|now)\b)",
        "preference",
        "timezone",
        _zone,
        importance=0.7,
    ),
    Rule(
        rf"(?:{AM}|i live|i work)(?: currently| based| now)* (?:in|on) (?:the )?(?P<v>{_ZONE})"
        r" time ?zone",
        "preference",
        "timezone",
        importance=0.7,
    ),
    Rule(
        rf"{AM} (?:at )?(?P<v>(?:utc|gmt)\s?[+\-–]\s?\d{{1,2}}(?::?\d\d)?)(?!\w)",
        "preference",
        "timezone",
        importance=0.7,
    ),
    Rule(
        rf"use (?P<v>{_ZONE}) (?:for|as) (?:my|all)? ?(?:time ?zone|times)",
        "preference",
        "timezone",
        importance=0.7,
    ),
    Rule(
        rf"i{_ADVERBS} (?:use|indent with|write with|follow|like|stick to) (?P<v>(?:(?:\d|two|"
        r"four|eight)[- ])?(?:tabs|spaces)(?: (?:for|over|not|instead|and)\b.*)?|snake["
        r" _]?case.*|camel ?case.*|type hints.*|pep ?8.*|google[- ]style docstrings|numpy[-"
        r" ]style docstrings|single quotes|double quotes|tdd|4[- ]space indentation|2[- ]space"
        r" indentation)$",
        "preference",
        "coding_style",
        confidence=0.8,
    ),
    Rule(
        r"my (?:coding|code) style is (?P<v>.{3,80})", "preference", "coding_style", confidence=0.85
    ),
    Rule(
        r"i(?:'m| am) (?:a|on team|team) (?P<v>tabs|spaces)(?: person| guy| girl)?$",
        "preference",
        "coding_style",
        confidence=0.8,
    ),
]


_OF_CHOICE = re.compile(
    r"(?i)(?P<v>[\w .#+-]{2,30}?) is my (?:(?:go-?to|main|favou?rite|preferred|default|primary|daily) )?"
    r"(?:code )?(?:editor|ide|os|operating system|shell|terminal|framework|database|formatter|browser|"
    r"package manager|daily driver)(?: of choice)?$"
)


def read(clause: Clause) -> Iterator[Proposal]:
    """Propose the tools that the clause says are in use."""
    yield from apply(_RULES, clause)
    found = _USES.match(clause.text) or _OF_CHOICE.match(clause.text)
    for part in several(_ENDS.sub("", found["v"])) if found else []:
        for kind, names in _KINDS:
            if names.fullmatch(part):
                yield propose(
                    clause, "preference", f"tool:{kind}", part, confidence=0.8, importance=0.6
                )
