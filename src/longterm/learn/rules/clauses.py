"""Which clauses of a message state, in the user's own voice, something that holds now."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from longterm.learn.rules.masking import MASK

Mood = Literal["plain", "asks", "dead"]

_LONGEST_SENTENCE = 600
_MOST_OPENERS = 8


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
    r"|[?!]+|\n+|;|(?<=\s)[-–—]+(?=\s)|—|[()\[\]]|:(?=\s)|[\U0001F300-\U0001FAFF☀-➿]+"
)

_GREETING = (
    r"(?:hi|hello|hey|hiya|hey+|heya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|"
    r"hallo|hola|salut|bonjour|ciao|salve|olá|ola|oi|moin|servus|guten (?:tag|morgen|abend)|"
    r"buenos días|buenas|buongiorno|bom dia|boa tarde|nice to meet you)\b"
    r"(?: (?:there|all|everyone|everybody|again|guys|team|folks|claude|chatgpt|gpt|bot|assistant|"
    r"ai|zusammen|à tous|a todos|a tutti)\b)*(?: [\w-]{2,15}(?=[,!]))?"
)
_CORRECTION = (
    r"(?:actually|in reality|no+(?=\s*(?:[,.!]|i\b|i'|my\b|we\b|\Z))|nope|nah|oops|whoops|"
    r"correction|to correct (?:that|you|myself)|"
    r"(?:oh )?scratch that|strike that|that(?:'s| is|s) (?:wrong|not right|incorrect|not true|"
    r"outdated|old)|my (?:bad|mistake)|i (?:meant|mean|misspoke|was wrong|made a mistake|lied)|"
    r"not any ?more|you(?:'re| are|ve| have)? (?:got )?(?:that )?(?:wrong|mistaken)|"
    r"(?:small |quick |a |one )?correction|nein|eigentlich|en fait|non|en realidad|in realtà|"
    r"na verdade|wait,? no|let me correct (?:that|myself))\b"
)
_TELLING = (
    r"(?:for future reference(?=[\s,:]*(?:\Z|(?:i|i'm|my|our|we|the)\b))|(?:(?:please|pls|"
    r"and|also|just|kindly|can you|could you|would you|will you|you should|"
    r"you can|i want you to|i'd like you to|i need you to|make sure (?:to|you)|try to|always)"
    r"(?: please)? )*"
    r"(?:remember|memori[sz]e|note(?! to)|don'?t (?:ever )?forget|do not forget|never forget|"
    r"keep in mind|bear in mind|"
    r"(?:make a |take )note|save|store|be aware|record|merk(?:e)? dir|denk(?: bitte)? daran|"
    r"retiens|souviens-toi|rappelle-toi|note bien|recuerda|ten en cuenta|apunta|ricorda(?:ti)?|"
    r"tieni presente|lembra(?:-te)?|lembre-se|anota)\b"
    r"(?:(?: down)?(?: this| for (?:me|later|next time|the future|future reference)|"
    r" in your memory| of (?:the fact|this))*"
    r"(?:,|:| that(?! (?:time|day|night|one|thing|guy|movie|song|trip|summer|party|place)\b)|"
    r" dass?| que| che| de que)+|"
    r"(?: this| that)?(?=\s*\Z)|(?= (?:i|i'm|im|my|we|our|ich|mein\w*|je|j')\b)))"
)
_FILLER = (
    r"(?:oh|ah|aw+|ugh+|argh|gosh|man|dude|well|so|ok|okay|alright|yes|yeah|yep|yup|sure|"
    r"right|um+|uh+|hm+|and|but|also|"
    r"plus|btw|by the way|fyi|anyway|anyways|honestly|to be honest|tbh|in fact|just|look|listen|"
    r"additionally|besides|furthermore|moreover|"
    r"for the record|for (?:some )?(?:context|reference|background)|for your information|"
    r"for what it's worth|fwiw|(?:just )?so (?:that )?you know|just fyi|as you (?:may |"
    r"might )?know|"
    r"you (?:should|might want to|may want to|need to|must|ought to) know(?: that)?|"
    r"(?:just )?(?:a )?(?:quick |little |small )*(?:note|intro|introduction|update|reminder|"
    r"heads[- ]up|background|context|info|thing)|please note(?: that)?|ps|p\.s|edit|thanks|"
    r"thank you|thx|great|cool|nice|perfect|awesome|wow|haha+|lol|because|bc|cuz|cause|"
    r"'cause|since|"
    r"as(?= (?:i|i'm|im|my|we)\b)|although|though|even though|while|given(?: that)?|"
    r"seeing(?: as| that)?|now|these days|"
    r"nowadays|currently|at present|today|lately|recently|unfortunately|sadly|luckily|"
    r"fortunately|personally|"
    r"for me|as for me|about me|a (?:bit|little) about me|turns out(?: that)?|"
    r"it turns out(?: that)?|(?:i|we) (?:forgot|wanted|should|have|need|must|ought|'d like|"
    r"would like)(?: to)?(?: also)?(?: say| mention| add| tell you| point out| let you know| admit|"
    r" confess| clarify| note| introduce myself)(?: that)?|let me (?:introduce myself|"
    r"add(?: that)?|"
    r"tell you|clarify)|(?:i'?ll |allow me to )?introduc(?:e|ing) myself|"
    r"(?:my|the) (?:doctor|dr|allergist) (?:says|said|told me|confirmed)(?: that)?|"
    r"i (?:just |recently )?(?:found out|learned|discovered|realized|realised)(?: that)?|"
    r"i was (?:just |recently )?told(?: by my doctor)?(?: that)?|one more thing|another thing|"
    r"first(?:ly)?|first of all|second(?:ly)?|third(?:ly)?|finally|lastly|important|sorry|wait|"
    r"the thing is|the truth is|truth is|fun fact|in general|generally|as a (?:reminder|heads up|"
    r"side note)|side note|you see|see|in case you (?:didn't know|forgot|were wondering|need it|"
    r"wonder)|"
    r"und|aber|also|übrigens|ja|außerdem|et|mais|oui|d'ailleurs|au fait|alors|y|pero|sí|por cierto|"
    r"además|e|ma|sì|inoltre|comunque|mas|sim|aliás|además|porque|weil|car|parce que|perché|"
    r"\d{1,2}[.)]|[-*•·–])(?![\w'])"
)
_OPENER = re.compile(
    rf"(?P<greeting>{_GREETING})|(?P<telling>{_TELLING})|(?P<correction>{_CORRECTION})|"
    rf"(?:{_FILLER})",
    re.IGNORECASE,
)
_GAP = re.compile(r"[\s,:.…!'*\-–]*")

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
    | \brole-?\s?play(?:ing)?\b(?!\sgames) | \bhypothetical(?:ly)?\b | \bin\scharacter\b
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
    r"\bpsych!|\bnot!$|\bhaha,? no\b|\bobviously not\b|\boh sure\b|🙄|🤡"
)

_ASKS = re.compile(
    r"""(?ix)
      (?:what|who|whose|whom|where|why|how|which|when)(?:'s|'re|'d|s)?\b(?!ever)
    | (?:do|does|did|is|are|am|was|were|can|could|should|would|will|have|has|had|may|might|must|
         isn't|aren't|don't|doesn't|didn't|wasn't|can't|couldn't|shouldn't|wouldn't|won't|haven't)
      \s(?:i|you|we|they|he|she|it|that|this|there|the|my|your|our|any|anyone|people|someone|u)\b
    | (?:any|got\sany)\b
    | (?:tell\sme|guess|remind\sme|do\su|u\sremember|you\s(?:remember|know|recall))\b
    | (?:wie|was|wer|wo|wohin|welche[rsn]?|warum|kannst|weißt|habe\sich|bin\sich|soll|sollte)\b
    | (?:comment|où|quel|quelle|est-ce|sais-tu|pourquoi|peux-tu|qu'est|ai-je|suis-je)\b
    | (?:cómo|dónde|qué|cuál|quién|sabes|puedes(?!\sllamarme)|por\squé|cuándo|me\spuedes)\b
    | (?:come\s(?:mi|si|ti)|dove|cosa|quale|chi|sai|puoi(?!\schiamarmi)|perché\snon|che\scosa)\b
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
    r"everyone|everybody|people|friends)\b"
)
_FOREIGN = (
    r"(?:ich|mein|meine|wir|je|j'\w+|nous|mon|yo|mi|io|eu|meu|minha|sono|sou|vivo|abito|moro|"
    r"trabajo|lavoro|trabalho|tengo|tenho|responde|réponds|rispondi|antworte|nenn|was|wie|wo|"
    r"wohne|lebe|arbeite|heiße|komme|kannst|mag|adoro|gosto|amo|peux-tu|puedes|puoi|pode|o"
    r" que|qué|que puis)\b"
)
_JOIN = re.compile(
    r"(?i)(?:,\s*|\s+)(?P<word>and|but|so|because|since|cause|cuz|bc|plus|yet|while|"
    r"although|though|"
    rf"as|or|whereas)\s+(?={_SUBJECT})"
    r"|(?:,\s*|\s+)(?:und|aber|denn|weil|et|mais|car|y|pero|porque|e|ma|mas|"
    rf"perché)\s+(?={_FOREIGN})"
    rf"|\s+(?:y|e|et)\s+(?=soy\b|me\b|ma\b|ho\b|trabajo\b)|,\s*(?={_SUBJECT}|{_FOREIGN})|"
    r"(?:,\s*|\s+)(?P<alone>because)\s+"
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
    r"lactose|gluten|intolerant|from|based|married|engaged|fluent|living|celiac|coeliac|diabetic|"
    r"pescatarian|not a (?:big |huge )?fan|into)\b"
)
_SHARED = re.compile(rf"(?i)(?:,| and| but|, and|, but)\s+(?={_VERBS})(?P<state>\Zx)?")
_SHARED_BE = re.compile(
    rf"(?i)(?:,| and| but|, and|, but)\s+(?:(?={_VERBS})|(?P<state>(?={_STATES})))"
)
_FIRST_PERSON = re.compile(r"(?i)(?:i|i'm|im|i've|my|we)\b")
_ASIDE = re.compile(r"(?i)\s+so (?:that )?you know\b")
_ROLE = re.compile(r"(?i)\s*as an?\s[\w\s-]{2,40}$")
_NOW = re.compile(r"(?i)\s*now\b")
_RESETS = frozenset({"but", "because", "since", "cause", "cuz", "bc", "as", "though", "although"})


def sentences(text: str) -> Iterator[Sentence]:
    """Split the user's own words into sentences, up to the first that is only imagined."""
    if _JOKE.search(text):
        return
    carried: frozenset[str] = frozenset()
    for start, end, asked in _spans(text):
        body = text[start:end]
        if not body.strip() or len(body) > _LONGEST_SENTENCE:
            continue
        opened, begin = openers(body)
        if _HYPOTHETICAL.search(body, begin):
            return
        # "Hi! I'm …", "Remember: …": an opener alone speaks for the next sentence.
        if begin >= len(body):
            carried |= opened
            continue
        yield Sentence(text=body, start=start, end=end, asked=asked, opened=carried)
        carried = frozenset()


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence that state something, first to last."""
    parts = list(split(sentence.text))
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


def strip_openers(text: str) -> str:
    """Return the text from its first word that says something."""
    return text[openers(text)[1] :]


def openers(text: str) -> tuple[frozenset[str], int]:
    """What the openers of the text are, and where they end."""
    opened: set[str] = set()
    position = _gap(text, 0)
    for _ in range(_MOST_OPENERS):
        found = _OPENER.match(text, position)
        if found is None or found.end() == position:
            break
        if found.lastgroup:
            opened.add(found.lastgroup)
        position = _gap(text, found.end())
    return frozenset(opened), position


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


def _with_subjects(clause: Clause) -> Iterator[Clause]:
    """Say the subject again: "I live in Rome and love tea" is two statements."""
    subject = _SUBJECT_I.match(clause.text)
    start, lead = 0, ""
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


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for found in _SENTENCE_END.finditer(text):
        yield start, found.start(), "?" in found[0]
        start = found.end()
    yield start, len(text), False


def _gap(text: str, position: int) -> int:
    found = _GAP.match(text, position)
    return found.end() if found else position


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
