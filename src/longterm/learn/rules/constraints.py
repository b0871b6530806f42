"""What the user must avoid: allergies, diet, times that do not suit."""

import re

from longterm.learn.rules.homes import ADVERBS, AM
from longterm.learn.rules.shapes import Rule, several, slug, trim
from longterm.learn.rules.words import DIET, FOOD, JOKE_ALLERGIES

_DEGREE = (
    r"(?: (?:severely|very|really|highly|extremely|deathly|slightly|mildly|quite|super|"
    r"strongly|terribly|badly|"
    r"a bit|also|actually|now|both|seriously|violently|currently|still|strictly|mostly|"
    r"fully|totally|completely|"
    r"100%|a strict|a lifelong|basically|pretty much|primarily|proudly|happily|so|just|already))*"
)
_ALLERGY_ENDS = re.compile(
    r"(?i)\s+(?:so|which|and (?:it|they|can|could|so|have|need|i|get|cannot|can't|this|"
    r"that|my)|that|since|because|when|if|but|though|especially|like|in particular|as"
    r" well|"
    r"please|by the way|according|for|in case|make|to the point|it|they)\b.*"
)
_MOST_WORDS = 4


def allergens(captured: str) -> list[str]:
    """What one can be allergic to; "allergic to meetings" is a joke."""
    if re.match(r"(?i)(?:my|your|this|that) ", captured):
        return []
    text = re.sub(
        r"(?i)^(?:all (?:kinds|types|sorts) of|all|most|certain|some|any|both|things like) ",
        "",
        captured,
    )
    parts = several(_ALLERGY_ENDS.sub("", text))
    if not parts or any(_jokes(part) or _STATE.match(part) for part in parts):
        return []
    return [part for part in parts if len(part.split()) <= _MOST_WORDS]


_STATE = re.compile(
    r"(?i)(?:killing|acting|bad|terrible|worse|worst|really|so|getting|not|horrible|awful|"
    r"under|back|"
    r"gone|making|kicking|seasonal|driving|starting|nothing|anything|everything|something|being|"
    r"having|people|doing|a|an|the idea|how|what|when|things?|stuff|going|insane|crazy|out)\b"
)


def _jokes(part: str) -> bool:
    named = slug(part)
    return not named or named in JOKE_ALLERGIES or named.split("_")[0] in JOKE_ALLERGIES


_END = (
    r"(?=$|[,.]| (?:and|but|so|now|too|here|for|since|by|as|because|diet|person|btw|who|with|"
    r"lately|myself|these|again|at|in|when|except|due|actually|currently|last|this|a|an|"
    r"two|three|\d+|back|ever|almost|years)\b)"
)
_OBJECT_ENDS = re.compile(
    r"(?i)\s+(?:because|since|for|any|at all|so|or drink|and i|as|anymore|due|or"
    r" anything|either|these|but|by)\b.*"
)


def foods(captured: str) -> list[str]:
    """Members of an enumeration of food, all of them known."""
    parts = several(_OBJECT_ENDS.sub("", captured))
    return (
        parts
        if parts and all(re.fullmatch(rf"(?i)(?:any |any kind of )?{FOOD}", part) for part in parts)
        else []
    )


_NOT_ALLERGY = re.compile(
    r"(?i)(?:no|any|many|some|food|seasonal|lots|several|an?|few|the|this|that|my|bad|severe|new|weird)\b"
)


def _allergy(captured: str) -> list[str]:
    return [] if _NOT_ALLERGY.match(captured) else several(captured)


_THIS_TIME = re.compile(
    r"(?i)\b(?:this|next|tomorrow|today|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)


def _regular(captured: str) -> list[str]:
    """When the user is free as a rule, not on one day."""
    return [] if _THIS_TIME.search(captured) else [trim(captured)]


_ALLERGEN = (
    r"(?:(?:tree[- ])?nuts?|peanuts?|pollen|dust(?: mites?)?|cat|dog|shellfish|seafood|shrimp|eggs?|"
    r"milk|dairy|soy|wheat|gluten|latex|bee(?: sting)?|penicillin|fish|kiwi|sesame|lactose)"
)

RULES: list[Rule] = [
    Rule(
        rf"(?:{AM}|i(?:'ve| have) (?:always )?been){_DEGREE} (?:allergic|intolerant|sensitive(?= to (?:gluten|lactose|dairy))) to"
        r" (?P<v>.+)",
        "constraint",
        "allergy:{}",
        allergens,
        importance=0.95,
    ),
    Rule(
        r"i(?:'ve|'ve got| have| have got| suffer from| also have| do have| got)+ (?:an? |some"
        r" )?(?:\w+ ){0,2}?(?:allergy|intolerance|allergies|sensitivity) to (?P<v>.+)",
        "constraint",
        "allergy:{}",
        allergens,
        importance=0.95,
    ),
    Rule(
        r"i(?:'ve|'ve got| have| have got| suffer from| also have| do have| got)+ (?:an? |my"
        r" )?(?:(?:severe|serious|bad|mild|slight|strong|terrible|life-threatening|nasty|"
        r"really|pretty|very|quite|rather) )*(?P<v>[\w-]+(?: (?!allerg)[\w-]+){0,2})"
        r" (?:allergy|allergies|intolerance)\b",
        "constraint",
        "allergy:{}",
        _allergy,
        importance=0.95,
    ),
    Rule(
        rf"(?=.*\bmy\b.*(?:allerg|intol))[\w\s']{{0,60}}?\bmy (?:severe |bad )?(?P<v>{_ALLERGEN}) (?:allergy|allergies|intolerance)\b",
        "constraint",
        "allergy:{}",
        importance=0.9,
    ),
    Rule(
        r"my (?:food )?allerg(?:y|ies)(?: is| are|:|: )+ (?:to )?(?P<v>.+)",
        "constraint",
        "allergy:{}",
        allergens,
        importance=0.95,
    ),
    Rule(
        rf"{AM}{_DEGREE} (?P<v>lactose|gluten|fructose|histamine|dairy)[- ]intolerant",
        "constraint",
        "allergy:{}",
        importance=0.95,
    ),
    Rule(
        rf"{AM}{_DEGREE}(?: an?)? (?P<v>coeliac|celiac)\b",
        "constraint",
        "allergy:celiac",
        importance=0.95,
    ),
    Rule(
        r"i(?: have|'ve got| was diagnosed with| got diagnosed with)+ (?P<v>co?eliac(?:"
        r" disease)?|coeliac(?: disease)?)",
        "constraint",
        "allergy:celiac",
        importance=0.95,
    ),
    Rule(
        r"(?P<v>[\w-]+(?: [\w-]+)?) (?:gives?|give) me (?:hives|an allergic reaction|"
        r"anaphyla\w+)",
        "constraint",
        "allergy:{}",
        allergens,
        importance=0.9,
    ),
    Rule(
        r"i (?:get|break out in) (?:hives|an? rash) (?:from|when i eat) (?P<v>.+)",
        "constraint",
        "allergy:{}",
        allergens,
        importance=0.9,
    ),
    Rule(
        rf"{AM}{_DEGREE}(?: an?)?(?: (?:strict|lifelong|proud|committed|devout))?"
        rf" (?P<v>{DIET}){_END}",
        "constraint",
        "diet",
        importance=0.9,
    ),
    Rule(
        rf"{AM}{_DEGREE} (?:on|following|doing|eating|trying to stick to)(?: an?| the)?(?:"
        rf" strict)? (?P<v>{DIET})(?: diet)?{_END}",
        "constraint",
        "diet",
        confidence=0.8,
        importance=0.85,
    ),
    Rule(
        rf"i{ADVERBS} (?:follow|keep|eat|am on|observe|stick to|do|maintain)(?: (?:only|"
        rf"strictly|an?|mostly|strict))* (?P<v>{DIET}|no meat)(?: food| diet)?{_END}",
        "constraint",
        "diet",
        importance=0.9,
    ),
    Rule(
        r"i(?:'ve| have)(?: been)?(?: (?:an?|strictly|always|fully))* (?:been )?(?:an?"
        rf" )?(?P<v>{DIET}) (?:for|since|my whole|all my|now)\b.*",
        "constraint",
        "diet",
        importance=0.9,
    ),
    Rule(
        r"i(?:'ve| have)?(?: (?:just|recently|finally|now|also))* (?:went|gone|became|become|"
        rf"turned)(?: an?| fully| completely| full)* (?P<v>{DIET}){_END}",
        "constraint",
        "diet",
        confidence=0.85,
        importance=0.9,
    ),
    Rule(rf"my diet is (?:strictly |mostly )?(?P<v>{DIET})", "constraint", "diet", importance=0.9),
    Rule(
        rf"as (?:an? )(?:strict |lifelong )?(?P<v>{DIET}),",
        "constraint",
        "diet",
        confidence=0.8,
        importance=0.9,
    ),
    Rule(
        rf"(?:i{ADVERBS}(?: (?:really|absolutely))? (?:don't|do not|dont|can't|cannot|cant|"
        rf"never|won't) (?:eat|drink|have|consume|tolerate)|i{ADVERBS} (?:avoid|stay away from|"
        rf"abstain from)|{AM} not allowed to (?:eat|drink)|i(?:'ve| have)?(?: (?:just|recently))? (?:given up|gave up|stopped"
        r" eating|cut out)) (?:any )?(?P<v>.+)",
        "constraint",
        "avoids:{}",
        foods,
        confidence=0.8,
        importance=0.8,
    ),
    Rule(
        rf"{AM}{_DEGREE}(?: an?)? (?P<v>(?:type (?:1|2|one|two) )?diabetic|colou?r[- ]?blind|"
        rf"dyslexic|hard of hearing|visually impaired|a wheelchair user){_END}",
        "constraint",
        "condition:{}",
        importance=0.8,
    ),
    Rule(
        r"i (?:have|'ve got) (?P<v>(?:type (?:1|2|one|two) )?diabetes|adhd|dyslexia|asthma|"
        r"epilepsy|high blood pressure)(?=$|,| (?:and|so|but)\b)",
        "constraint",
        "condition:{}",
        confidence=0.8,
        importance=0.8,
    ),
    Rule(
        r"(?P<v>i(?:'m| am)? (?:(?:never|not|only|usually|always|generally) )*(?:available|"
        r"free|unavailable|off)(?: for \w+)? (?:on |after |before |between |until )[\w:"
        r" -]*(?:days?|weekends|weekdays|mornings|evenings|afternoons|\d ?[ap]\.?m|"
        r"\d:\d\d)\b.*)$",
        "constraint",
        "availability",
        _regular,
        confidence=0.8,
        importance=0.7,
    ),
    Rule(
        r"(?P<v>i (?:don't|do not|never|can't|cannot|only) (?:work|take calls|do meetings|take"
        r" meetings|meet) (?:on |before |after |at |in the )[\w: ,-]*(?:days|weekends|"
        r"weekdays|mornings|evenings|afternoons|\d ?[ap]\.?m|\d:\d\d).*)$",
        "constraint",
        "availability",
        confidence=0.8,
        importance=0.7,
    ),
]
