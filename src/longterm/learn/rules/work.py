"""What the user does: employer, occupation, studies."""

import re

from longterm.learn.rules.homes import ADVERBS, AM, places
from longterm.learn.rules.shapes import Rule, capitalised, trim
from longterm.learn.rules.words import (
    FIELD,
    NOT_ORGANISATIONS,
    OCCUPATION,
    ORGANISATION,
    SUBJECT,
)

_ENDS = re.compile(
    r"(?i)\s+(?:and|but|as|where|which|who|in|on|since|for|so|because|from|with|doing|right|near|"
    r"while|when|these|full[- ]time|part[- ]time|remotely|during|after|until|to|by|every|most|"
    r"called|named|now|today|this|again|here|there|is|was|that|if|or|then)\b.*|,.*"
)
_NAMED = re.compile(r"(?i)\s+(?:called|named) (?P<name>[A-Z][\w&'.-]*(?: [A-Z][\w&'.-]*)*)")
_GENERIC = re.compile(
    rf"(?i)(?:an?|the|my own)\s+(?:[\w'-]+\s+){{0,4}}?{ORGANISATION}\b(?:\s+(?:in|of|"
    r"for)\s+[A-Z][\w'-]+)?"
)
_PUBLIC = re.compile(
    r"(?:the|a) (?:city|state|ministry|department|government|county|port|church|university|bank) "
    r"of (?:the )?[A-ZÀ-Þ]\w+(?: [A-ZÀ-Þ]\w+)*"
)
_MOST_WORDS = 5


def organisations(captured: str) -> list[str]:
    """A company by its name, or what kind of place it is."""
    text = trim(captured)
    generic = _GENERIC.match(text)
    if generic:
        named = _NAMED.match(text, generic.end())
        return [named["name"] if named else generic[0]]
    text = trim(_ENDS.sub("", " " + text))
    words = text.split()
    if not words or len(words) > _MOST_WORDS:
        return []
    public = _PUBLIC.match(trim(captured))
    if public:
        return [public[0]]
    if words[0].casefold() == "the" and len(words) > 1 and words[1][0].isupper():
        return [text]
    if words[0].casefold() in NOT_ORGANISATIONS:
        return []
    proper = capitalised(text, _MOST_WORDS)
    if proper:
        return [text if len(words) <= len(proper.split()) + 1 else proper]
    return [text] if len(words) == 1 and words[0].isalpha() else []


_NO_MODIFIER = (
    r"(?:not|bit|fan|friend|big|huge|bad|terrible|horrible|total|lousy|worst|best|good|great|"
    r"better|like|of|to|for|at|in|the|with|and|or|when|that|who|your|his|her|their|my|amazing|"
    r"decent|natural|visual|slow|fast|quick|lifelong|night|morning|pretty|real|true|such|more|"
    r"kind|sort|little|early|late|picky|heavy|member|client|dog|cat|pet|home|house|car|proud|"
    r"strong|hard|happy|poor|mess|son|daughter|wife|husband|sister|brother|from|team|new|just|also|"
    r"firm|avid|beginner|adult|sucker|people|by|only|closet|armchair|wannabe|aspiring|"
    r"future|former|ex|working|trying|looking|becoming|being)"
)
_JOB = (
    rf"(?:(?!{_NO_MODIFIER}\b)[\w+#./&'-]+ ){{0,4}}?(?:{OCCUPATION}|\w+(?:ologist|ographer)|"
    r"(?<=professional )\w+(?:er|or|ist|ian))"
    rf"(?:/(?:\w+ )?{OCCUPATION})?"
    rf"(?: (?:practitioner|student|intern|engineer|developer|manager|teacher))?"
)
_JOB_ENDS = (
    r"(?! at heart| of life| (?:on|of|for|in) (?:this|that|the)\b)(?=$|,|/| (?:at|for|in|by|from|"
    r"with|who|and|working|based|on|specializing|specialising|of|"
    r"living|but|now|currently|too|here|as|since|so|myself|these|teaching|studying|focused|or)\b)"
)
_NOT_WANTED = r"(?!.*\bi (?:want|need|can|should|must|would|'d)\b)"


def _job(captured: str) -> list[str]:
    text = trim(captured)
    return [] if re.search(r"(?i)\b(?:looking|trying|not)\b|'s\b", text) else [text]


_NOT_ROLE = re.compile(
    r"(?i)(?:well|much|long|soon|hard|fast|usual|before|a team|part|of|expected|intended|is)\b"
)


def _role(captured: str) -> list[str]:
    return [] if _NOT_ROLE.match(captured) else [trim(captured)]


def _firm_or_kind(captured: str) -> list[str]:
    named = captured[:1].isupper() or _GENERIC.match(captured)
    return organisations(captured) if named else []


def _kind(captured: str) -> list[str]:
    found = organisations(captured) if _GENERIC.match(captured) else []
    return [value for value in found if not value.endswith("office")]


def _firm(captured: str) -> list[str]:
    return organisations(captured) if captured[:1].isupper() else []


RULES: list[Rule] = [
    Rule(
        rf"{AM}{ADVERBS} (?:[A-Z][\w-]+, )?an? {_JOB} from (?P<v>.+)",
        "identity",
        "hometown",
        places,
        confidence=0.75,
    ),
    Rule(
        rf"(?:i|we){ADVERBS} (?:work|am employed|'m employed){ADVERBS}(?: (?:full[- ]time|"
        r"part[- ]time|remotely|"
        r"freelance|nights|as (?:an? )?[\w -]{3,40}?)){0,2} (?:at|for) (?P<v>.+)",
        "identity",
        "employer",
        organisations,
        importance=0.7,
    ),
    Rule(
        rf"i{ADVERBS} work{ADVERBS} in (?P<v>an? .+)",
        "identity",
        "employer",
        _kind,
        importance=0.7,
    ),
    Rule(
        rf"{AM}{ADVERBS} (?:employed (?:at|by)|working (?:at|for)) (?P<v>.+)",
        "identity",
        "employer",
        organisations,
        confidence=0.75,
        importance=0.7,
    ),
    Rule(
        r"i(?:'ve| have) (?:been working|worked) (?:at|for) (?P<v>.+?) (?:for|since)\b.*",
        "identity",
        "employer",
        organisations,
        confidence=0.75,
        importance=0.7,
    ),
    Rule(
        r"my (?:current |new )?(?:employer|company) is(?: called| now)? (?P<v>.+)",
        "identity",
        "employer",
        _firm,
        importance=0.7,
    ),
    Rule(
        r"i(?:'ve| have)?(?: (?:just|recently|finally|now))* (?:got|started|landed|accepted|"
        r"took|begun|began)(?: working| work| "
        r"(?:a|my)(?: new)?(?: \w+){0,2} (?:job|position|role))? (?:at|with|for) (?P<v>.+)",
        "identity",
        "employer",
        organisations,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        r"i(?:'ve| have)?(?: (?:just|recently))* joined (?P<v>[A-Z].+?)(?: as .+)?$",
        "identity",
        "employer",
        _firm,
        confidence=0.7,
        importance=0.7,
    ),
    Rule(
        rf"{AM}{ADVERBS} (?:an? |the )?(?!(?:not|no) )(?P<v>{_JOB}){_JOB_ENDS}(?P<rest>.*)$",
        "identity",
        "occupation",
        _job,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        rf"{AM} (?:(?:Dr\. )?[A-Z][\w-]+(?: [A-Z][\w-]+)?,|[A-Z][\w-]+ and) (?:an? |the"
        rf" )(?P<v>{_JOB}){_JOB_ENDS}",
        "identity",
        "occupation",
        _job,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        rf"{AM}{ADVERBS} (?:an? |the )?(?!.*\b(?:student|undergraduate|trainee|candidate)\b){_JOB} (?:working )?(?:at|for) "
        r"(?P<v>[^,]+)",
        "identity",
        "employer",
        _firm_or_kind,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        rf"(?:i{ADVERBS} (?:work|freelance)|{AM}{ADVERBS} (?:working|employed)|i(?:'ve| have) been"
        rf" (?:working|freelancing)){ADVERBS}(?: (?:at|for) [\w& ]{{2,40}}?| full[- ]time| part[- ]time|"
        rf" remotely){{0,2}} as (?:an? |the )?(?P<v>(?:[\w+#./&'-]+ ){{0,4}}?[\w+#/&'-]+?)"
        r"(?=$|,| (?:at|for|in|from|and|on|with|but|now|these|while|since|right)\b)",
        "identity",
        "occupation",
        _role,
        importance=0.7,
    ),
    Rule(
        r"i(?:'ve| have) worked as an? (?P<v>[\w+#/&'-]+(?: [\w+#/&'-]+){0,3}?) (?:for|since)\b",
        "identity",
        "occupation",
        _role,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        rf"i(?:'ve| have) been (?:an? )(?P<v>{_JOB}) (?:for|since)\b",
        "identity",
        "occupation",
        _job,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        rf"(?=.{{3,50}} here$)(?!(?:any|every|no|the|an?|is|our|another)\b)(?P<v>{_JOB}) here$",
        "identity",
        "occupation",
        _job,
        confidence=0.7,
        importance=0.7,
    ),
    Rule(
        rf"i(?:'ve| have)?(?: (?:just|recently|finally))* (?:got|landed|started|found) (?:an? (?:new )?)?"
        rf"(?:job|position|work|working) as (?:an? )(?P<v>{_JOB}){_JOB_ENDS}",
        "identity",
        "occupation",
        _job,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        r"(?:my (?:job|profession|occupation|job title|day job) is|by (?:trade|profession),?"
        rf" {AM}|professionally,? {AM}|i make my living as)(?: being)? (?:an? |the"
        rf" )?(?P<v>{_JOB}){_JOB_ENDS}",
        "identity",
        "occupation",
        _job,
        importance=0.7,
    ),
    Rule(
        rf"as (?:an? )(?P<v>{_JOB}),? {_NOT_WANTED}(?:i|my)\b",
        "identity",
        "occupation",
        _job,
        confidence=0.7,
        importance=0.7,
    ),
    Rule(
        rf"i{ADVERBS} work in (?:the )?(?P<v>{FIELD})(?=$|,| (?:at|and|for|as|in|department|"
        r"industry|sector|field|but)\b)",
        "identity",
        "occupation",
        confidence=0.8,
    ),
    Rule(
        rf"{AM}{ADVERBS} in (?P<v>sales|(?-i:IT|HR)|marketing|finance|tech|real estate|insurance|"
        r"banking|logistics|consulting|advertising|healthcare|construction|procurement|hospitality)"
        r"(?=$|,| (?:and|so|but)\b)",
        "identity",
        "occupation",
        confidence=0.75,
    ),
    Rule(
        r"i do (?!(?:this|that|it|what\w*|something|nothing)\b)(?P<v>[\w -]{2,30}?) for a living",
        "identity",
        "occupation",
        confidence=0.8,
    ),
    Rule(
        r"i (?:also )?(?P<v>(?:run|own|manage) (?:my own|an?) (?:[\w'-]+ ){0,3}?(?:business|"
        r"company|shop|store|bakery|restaurant|"
        r"startup|studio|agency|farm|cafe|café|bar|gym|salon|practice|firm|bookshop|bookstore|"
        r"consultancy|clinic|hotel|dance studio))\b",
        "identity",
        "occupation",
        confidence=0.8,
    ),
    Rule(
        r"i (?P<v>teach (?!you|him|her|myself|them|my|people to|it|this|that|a lesson|"
        r"how)[^,]{3,50})$",
        "identity",
        "occupation",
        confidence=0.8,
    ),
    Rule(
        rf"{AM}{ADVERBS} (?P<v>self[- ]employed|retired|unemployed|a freelancer|"
        r"freelancing)(?=$|,| (?:and|now|but|as|from|since)\b)",
        "identity",
        "occupation",
        confidence=0.8,
    ),
    Rule(
        rf"(?:i study|{AM}{ADVERBS} studying) (?P<v>[\w& ]{{3,40}}?) (?:at|in) (?:the"
        r" )?[A-ZÀ-Þ][\w' -]+",
        "identity",
        "studies",
        confidence=0.8,
    ),
    Rule(
        rf"(?:i{ADVERBS} study|{AM}{ADVERBS} studying) (?P<v>(?:\w+ )?{SUBJECT})"
        r"(?=$|,| (?:and|but|so|part[- ]time|full[- ]time)\b)",
        "identity",
        "studies",
        confidence=0.8,
    ),
    Rule(
        rf"{AM}{ADVERBS} (?:doing|pursuing|working on|finishing) (?:an?|my) (?:phd|doctorate|"
        r"(?:master|bachelor)'?s?|mba|msc|bsc|ma|ba|degree)(?: degree)? in (?P<v>[\w& ]{3,40}?)"
        r"(?=$|,| (?:at|and|in|but|so)\b)",
        "identity",
        "studies",
        confidence=0.8,
    ),
    Rule(
        rf"(?:i major in|{AM} majoring in|my major is) (?P<v>[\w& ]{{3,40}})",
        "identity",
        "studies",
        confidence=0.8,
    ),
]
