"""Which clauses of a message state, in the user's own voice, something that holds now."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from longterm.learn.rules.masking import MASK
from longterm.learn.rules.openers import openers, strip_openers

Mood = Literal["plain", "asks", "dead"]

_LONGEST_SENTENCE = 600
_MOST_CLAUSES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A declarative clause without its openers, and what the openers said about it."""

    text: str
    start: int
    end: int
    greeted: bool = False
    told: bool = False
    correction: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that is neither pasted nor imagined; it may still be a question."""

    text: str
    start: int
    end: int
    asked: bool
    opened: frozenset[str] = frozenset()


_SENTENCE_END = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bProf)"
    r"(?<!\bInc)(?<!\b[A-Z])[.…]+(?=[\s\"')]|\Z)"
    r"|[?!]+|\n+|(?<!\btl);|(?<=\s)[-–—]+(?=\s)|—|[()\[\]]|:(?=\s)|[\U0001F300-\U0001FAFF☀-➿]+"
)

_HYPOTHETICAL = re.compile(
    r"""(?ix)
      ^(?:suppose|supposing|imagine|picture\sthis|pretend|assume|assuming|say\s(?:i|my|that|we)\b|
         what\sif|hypothetically|in\stheory|in\sthis\s(?:story|scenario|game)|scenario|act\s(?:as|
             like)|
         you(?:\sare|'re)\s(?:an?|the|my|now|playing)\b|be\smy|play\sthe|stell\sdir\svor|
             angenommen|imagine\sque|imagina|immagina|
         supponi\w*|supón|suponha|disons\sque|sagen\swir|nehmen\swir\san|si\sj|wenn\sich)\b
    | \blet(?:'?s|\sus|\sme)\s(?:just\s)?(?:say|pretend|imagine|assume|suppose|play|role)
    | \b(?:pretend|imagine|imagining|pretending)\s(?:that|to\sbe|you|i|i'm|we|my|being|like)\b
    | \byou(?:\sare|'re)\s[\w\s]{2,20}\sand\si(?:'m|\sam)\b | \bmock\s(?:interview|trial|exam|debate)\b | \brole-?\s?play(?:ing)?\b(?!\sgames) | \bhypothetical(?:ly)?\b | \bin\scharacter\b
    | \bfor\sthe\ssake\sof\sargument\b | \b(?:my|the|main|a)\scharacter\b | \bfictional\b
    | \bpersona\b | \bsample\s(?:text|data|sentence|bio)\b | \bexample\s(?:text|sentence|bio)\b
    | \b(?:story|poem|song|lyrics|monologue|haiku|fanfic|screenplay)\s(?:about|where|in\swhich|
         from\sthe|that\s(?:starts|begins))
    | \bfirst[- ]person\b | \bin\s(?:a|the|my)\s(?:dream|novel|story|game|movie|simulation)\b
    | \b(?:for|as\san?)\s(?:example|instance)\b[,:]?\s(?:i|my)\b
    """
)
_JOKE = re.compile(
    r"(?i)\bj/?k\b|\bjust kidding\b|\b(?:i'?m|i am|only) (?:just )?(?:kidding|joking)\b|"
    r"(?<!\S)/s\b|"
    r"\bnot really\b|\byeah,? right\b|\bas if[!.]|\bsarcasm\b|\bkidding[!.]|\bjust joking\b|"
    r"\bpsych!|\bnot!$|\bhaha,? no\b|\bobviously not\b|\boh sure\b|🙄|🤡|\b(?:best day ever|lucky me|how fun|just what i needed|exactly what i needed)\b|\boh,? (?:great|joy|yay|wonderful|fantastic|perfect|lovely)\b|\b(?:sure|yeah|yes|right|great),? because\b|\bbecause (?:i|we|everyone) just loves?\b"
)

# "I'm a born leader, my boss says".
_ATTRIBUTED = re.compile(
    r"(?i),\s*(?:(?:my|the|his|her|our|some|one) [\w']+|they|he|she|people|everyone|(?-i:[A-Z])\w+)"
    r"(?: (?:always|once|often|just))? (?:says?|said|tells? me|told me|claims?|claimed|keeps saying)\W*$"
)

_ASKS = re.compile(
    r"""(?ix)
      (?:what|who|whose|whom|where|why|how|which|when)(?:'s|'re|'d|s)?\b(?!ever)
    | (?:do|does|did|is|are|am|was|were|can|could|should|would|will|have|has|had|may|might|must|
         isn't|aren't|don't|doesn't|didn't|wasn't|can't|couldn't|shouldn't|wouldn't|won't|haven't)
      \s(?:i|you|we|they|he|she|it|that|this|there|the|my|your|our|any|anyone|people|someone|u)\b
    | (?:any|got\sany)\b | (?:[\w']+\s){0,3}(?:ideas|tips|suggestions|recommendations|recs|thoughts|
         advice|help|options)$
    | (?:tell\sme|guess|remind\sme|do\su|u\sremember|you\s(?:remember|know|recall))\b
    | (?:wie|was|wer|wo|wohin|welche[rsn]?|warum|kannst|weißt|habe\sich|bin\sich|soll|sollte)\b
    | (?:comment|où|quel|quelle|est-ce|sais-tu|pourquoi|peux-tu|qu'est|ai-je|suis-je)\b
    | (?:cómo|dónde|qué|cuál|quién|sabes|puedes(?!\sllamarme)|por\squé|cuándo|me\spuedes)\b
    | (?:come\s(?:mi|si|ti)|dove|cosa|quale|chi|sai|puoi(?!\schiamarmi)|perché\snon|che\scosa)\b
    | (?:hoe|wat|wie|waar|waarom|welke?|kun\sje|kan\sje|weet\sje|heb\sik|ben\sik)\b
    | (?:o\sque|onde|qual|quem|você\ssabe|sabe|pode(?!\sme\schamar)|por\sque|como\s(?:eu|é))\b
    """
)
_TAG = re.compile(
    r"(?i)(?:(?:is|are|am|ai|do|does|did|have|has|was|were|ca|could|would|should|wo)n't (?:i|it|he|"
    r"she|they|we|you|that)\b|(?:am|do|is|have|are|was|did) (?:i|it|we)(?: not)?\b|right|correct|"
    r"remember|no|yes|ok|okay|huh|eh|true|oder|nicht wahr|n'est-ce|verdad|vero|não é|né).{0,10}$"
)
_CONDITION = re.compile(
    r"(?i)(?:if|unless|when|whenever|once|until|till|in case|were i|had i|should i|even if|as if|"
    r"as though|whether|provided|every time|each time|before|after|or|by the time|as soon as|"
    r"wenn|falls|als|ob|si|quand|lorsque|se|quando|cuando|aunque|wäre|hätte)\b"
)
_REPORTED = re.compile(
    r"""(?ix) ^(?:
        (?!i\b|i'|im\b|always|never|please|don'?t|do\snot|stop|
            from\snow)[\w'\u2019\s]{1,40}?\b(?:said|says|saying|say|told|tells|telling|claims?|
                claimed|
            thinks?|thought|believes?|insists?|wrote|writes|asked|asks|shouted|replied|goes|
            assumes?|assumed|was\slike|is\slike|keeps?\ssaying|knows?|texted|wants?\sme\sto|
            introduced|mentioned|sagt|sagte|meint|dit|a\sdit|dice|dijo|ha\sdetto|disse|diz)\b
      | i\s(?:wish|wished|dream|dreamt|dreamed|hope|hoped|pretend|pretended|imagine|imagined|said|
            told|thought|doubt|would|never\ssaid|heard|read|guess|suppose|didn't\ssay)\b
      | according\sto\b | i'd\b(?!\s(?:prefer|like|rather|love)\s(?:to\sbe|(?:it\s)?if\syou|
          you\b)) | nobody | no\sone
    )"""
)
_HEDGED = re.compile(
    r"(?i)\b(?:if|unless|whenever|as long as|only when|supposedly|apparently|allegedly|would|"
    r"wouldn't|wenn|falls|quand|cuando|quando|sozusagen)\b"
)
_SUBJECT = (
    r"(?:i|i'm|im|i've|ive|i'd|i'll|my|we|we're|our|you|he|she|it|it's|they|there|please|pls|call|"
    r"always|never|don't|dont|do|does|did|what|what's|which|how|where|who|when|why|can|"
    r"could|is|are|"
    r"am|should|would|will|now|if|could|any|so|tell|suggest|recommend|give|remember|actually|"
    r"everyone|everybody|people|friends|help me|need help|(?:write|make|find|show|explain)(?= (?:me|us|to me)))\b"
)
_FOREIGN = (
    r"(?:ich|mein|meine|wir|soy|ik|mijn|wij|woon|werk|heet|houd|habe|bin|je|j'\w+|nous|mon|yo|mi|io|eu|meu|minha|sono|sou|vivo|abito|moro|"
    r"trabajo|lavoro|trabalho|tengo|tenho|responde|réponds|rispondi|antworte|nenn|was|wie|wo|"
    r"wohne|lebe|arbeite|heiße|komme|kannst|mag|adoro|gosto|amo|peux-tu|puedes|puoi|pode|o"
    r" que|qué|que puis)\b"
)
_JOIN = re.compile(
    r"(?i)(?:,\s*|\s+)(?P<word>and|but|so|because|since|cause|cuz|bc|plus|yet|while|"
    r"although|though|"
    rf"as|or|whereas)\s+(?={_SUBJECT})"
    r"|(?:,\s*|\s+)(?:und|aber|denn|weil|et|mais|car|y|pero|porque|e|ma|mas|"
    rf"perché|en|maar|want)\s+(?={_FOREIGN})"
    rf"|\s+(?:y|e|et)\s+(?=soy\b|me\b|ma\b|ho\b|trabajo\b|no me\b|non mi\b|não\b)|,\s*(?={_SUBJECT}|{_FOREIGN})|"
    r"(?:,\s*|\s+)(?P<alone>because)\s+"
    r"|,\s*(?=(?:[\w']+\s){0,3}(?:ideas|tips|suggestions|recommendations|recs|thoughts|advice|help|"
    r"options)\s*$)"
)
_SUBJECT_I = re.compile(r"(?i)(?:i\b(?!')|(?P<be>(?:i'm|im|i am)\b))")
_VERBS = (
    r"(?:(?:currently|also|really|now|still|mostly|absolutely|just|usually|always|never|both) )?"
    r"(?:live|work|love|like|hate|dislike|prefer|speak|use|have|enjoy|study|teach|go by|"
    r"can't stand|"
    r"cannot stand|don't|do not|can't eat|moved|mostly code|code|program|write|own|run|adore|"
    r"come from|am|grew up|was born|follow|keep|reside|would|want|need|wanna|was|will|could|can|"
    r"might|have to|got|just|recently)\b(?<!, like)"
)
_STATES = (
    r"(?:(?:also|really|currently|now|originally|severely|very) )?(?:allergic|vegan|vegetarian|"
    r"lactose|gluten|intolerant|from|based|married|divorced|engaged|fluent|living|celiac|coeliac|diabetic|"
    r"pescatarian|not a (?:big |huge )?fan|into)\b"
)
_SHARED = re.compile(rf"(?i)(?:,| and| but|, and|, but)\s+(?={_VERBS})(?P<state>\Zx)?")
_SHARED_BE = re.compile(
    rf"(?i)(?:,| and| but|, and|, but)\s+(?:(?={_VERBS})|(?P<state>(?={_STATES})))"
)
_SUBJECTS = {"": "I ", "have": "I've ", "am": "I'm "}
_FIRST_PERSON = re.compile(r"(?i)(?:i|i'm|im|i've|my|we)\b")
_ASIDE = re.compile(r"(?i)\s+so (?:that )?you know\b")
_ROLE = re.compile(r"(?i)\s*as an?\s[\w\s-]{2,40}$")
_NOW = re.compile(r"(?i)\s*now\b")
_RESETS = frozenset({"but", "because", "since", "cause", "cuz", "bc", "as", "though", "although"})


_WORDS = re.compile(r"[^\W\d_]{2}")


def sentences(text: str) -> Iterator[Sentence]:
    """Split the user's own words into sentences, up to the first that is only imagined."""
    if _JOKE.search(text):
        return
    carried: frozenset[str] = frozenset()
    for start, end, asked in _spans(text):
        body = text[start:end]
        if not _WORDS.search(body) or len(body) > _LONGEST_SENTENCE:
            continue
        opened, begin = openers(body)
        if _HYPOTHETICAL.search(body, begin):
            return
        if _ATTRIBUTED.search(body):
            continue
        # "Hi! I'm …", "Remember: …": an opener alone speaks for the next sentence.
        if begin >= len(body):
            carried |= opened
            continue
        yield Sentence(text=body, start=start, end=end, asked=asked, opened=carried)
        carried = frozenset()


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence that state something, first to last."""
    parts = list(split(sentence.text))
    if len(parts) > _MOST_CLAUSES:
        return []
    asks_from = _question_begins(sentence, parts)
    live: list[Clause] = []
    mood: Mood = "plain"
    opened, text = sentence.opened, ""
    for number, (word, start, end) in enumerate(parts):
        more, begin = openers(sentence.text[start:end])
        opened = (opened if not text else opened - {"telling"}) | more
        text = sentence.text[start + begin : end].rstrip(" ,.!…'*")
        mood = _mood(text, word, "plain" if _NOW.match(sentence.text, start) else mood)
        told = "telling" in opened
        asks = (mood == "asks" or (number >= asks_from and word not in _RESETS)) and not told
        if asks or mood == "dead" or not text or MASK in text or _HEDGED.search(text):
            continue
        clause = Clause(
            text=text,
            start=sentence.start + start + begin,
            end=sentence.start + start + begin + len(text),
            greeted="greeting" in opened,
            told=told,
            # An "actually" holds for the rest of the sentence.
            correction="correction" in opened,
        )
        live += _with_subjects(clause)
    return live


def split(text: str) -> Iterator[tuple[str, int, int]]:
    """The conjunction, start and end of each clause; no conjunction is an empty word."""
    start = 0
    word = ""
    for found in _JOIN.finditer(text):
        # "As a vegan, I …", "just so you know" are one thought each.
        role = not found["word"] and _ROLE.match(text, start, found.start())
        if role or _ASIDE.match(found[0] + text[found.end() : found.end() + 9]):
            continue
        yield word, start, found.start()
        word = (found["word"] or found["alone"] or "").lower()
        start = found.end()
    yield word, start, len(text)


# "Just moved to Oslo", "allergic to nuts btw": chat drops the subject.
_ELIDED = re.compile(
    r"(?i)(?P<have>been (?:an?|living|working)\b)|(?P<am>(?:(?:severely|deathly|also|very|super|"
    r"highly|mildly) )*allergic to\b|(?:lactose|gluten)[- ]intolerant\b|not a (?:big |huge )?fan of\b|"
    r"(?:vegan|vegetarian|pescatarian|celiac|coeliac|diabetic)(?= (?:here|btw)\b))|"
    r"(?:(?:just|recently|finally) )(?:moved|relocated) (?:back )?to\b|(?:currently )?live in\b"
)


def _with_subjects(clause: Clause) -> Iterator[Clause]:
    """Say the subject again: "I live in Rome and love tea" is two statements."""
    elided = _ELIDED.match(clause.text)
    start, lead = 0, _SUBJECTS[elided.lastgroup or ""] if elided else ""
    subject = _SUBJECT_I.match(lead + clause.text)
    shared = _SHARED_BE if subject and subject["be"] else _SHARED
    for found in shared.finditer(clause.text) if subject else ():
        yield _cut(clause, lead, start, found.start())
        start = found.end()
        lead = "I " if found["state"] is None else "I'm "
    yield _cut(clause, lead, start, len(clause.text))


def _cut(clause: Clause, lead: str, start: int, end: int) -> Clause:
    return replace(
        clause,
        text=" ".join((lead + clause.text[start:end]).rstrip(" ,").split()),
        start=clause.start + start,
        end=clause.start + end,
    )


# "My allergies: nuts and soy": a colon that stands for "are".
_LABELLED = re.compile(
    r"(?i)(?:\bmy (?:full |first |last |preferred |native |food )?(?:name|nickname|surname|pronouns|"
    r"birthday|b-?day|dob|anniversary|allerg(?:y|ies)|time ?zone|tz|diet|hobbies|hobby|interests|"
    r"language|(?:favou?rite|fav|fave) \w+)|\bfrom now on|\bgoing forward|\bfor (?:all )?future \w+|"
    r"\bin (?:the )?future)$"
)


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if found[0] == ":" and _LABELLED.search(
            text, max(start, found.start() - 40), found.start()
        ):
            continue
        yield start, found.start(), "?" in found[0]
        start = found.end()
    yield start, len(text), False


def _question_begins(sentence: Sentence, parts: list[tuple[str, int, int]]) -> int:
    """The number of the first clause that asks; those before it state."""
    if not sentence.asked:
        return len(parts)
    texts = [strip_openers(sentence.text[start:end]).strip() for _, start, end in parts]
    if _TAG.match(texts[-1]):
        return 0
    return next((number for number, text in enumerate(texts) if _ASKS.match(text)), 0)


def _mood(text: str, word: str, before: Mood) -> Mood:
    """A condition or a report reaches over "and" and commas; a question ends where "I" begins."""
    if word in {"or", "if"} or _CONDITION.match(text) or _REPORTED.match(text):
        return "dead"
    if _ASKS.match(text):
        return "asks"
    if word in _RESETS or (before == "asks" and not word and _FIRST_PERSON.match(text)):
        return "plain"
    return before
