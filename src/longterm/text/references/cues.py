"""The words of a query that point to the exchanges before it."""

import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from itertools import pairwise

from longterm.text import sentences, words
from longterm.text.references.lexicon import (
    CARDINALS,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
    HE,
    LAST,
    POSITIONS,
    SHE,
    TIMES,
    word_set,
)

# A longer query says what it is about.
LONGEST = 400
_MASKED = re.compile(
    r"https?://\S+|```.*|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]+'(?!\w)"
)
_TOKEN = re.compile(r"[^\W_]+|[,.;:!?()\n–—#]")
# Where a clause ends, for the question whether a pronoun stands for something before it.
_CLAUSE_END = re.compile(
    r"[,.;:!?()\n–—]|\b(?:and|or|but|where|which|if|when|while|und|oder|aber|wenn|et|mais|où|si|y"
    r"|pero|donde|ma|dove|se|mas|onde)\b"
)
# Announces that what follows has nothing to do with what came before.
_NEW_TOPIC = re.compile(
    r" (?:another|different|new|separate|unrelated|other|next|one more|quick) (?:question|topic|thing"
    r"|q|subject)(?= )| (?:something (?:completely |totally )?(?:else|different)|changing the subject"
    r"|off topic|by the way|btw|anyway|unrelated(?:ly)?|andere frage|anderes thema|was anderes|übrigens"
    r"|autre (?:question|chose|sujet)|au fait|otra (?:pregunta|cosa)|por cierto|cambiando de tema"
    r"|altra (?:domanda|cosa)|a proposito|outra (?:pergunta|coisa)|a propósito|how are you|who are you"
    r"|what can you do|who am i)(?= )"
)
# Phrases with a pronoun that stands for nothing. `|` is any punctuation mark.
_IMPERSONAL = re.compile(
    r" (?:(?:more or less|más o menos|mais ou menos|plus ou moins|più o meno|mehr oder weniger)"
    r"|(?:ok|okay|right|alright|so|then) (?:[^\W_]+ ){1,3}then(?= \|)"
    r"|that (?:being )?said|having said that|that is that|that s (?:it|all|great|fine)|got it"
    r"|forget it|how s it going|by the way|(?:what|which) (?:time|day|date|year) (?:is|was) it"
    r"|it(?: s| is| was| will| has been| keeps)?(?: be| always| still)? (?:rain|snow|pour|thunder)\w*"
    r"|it is (?=\|)"
    r"|(?<!make )(?<!making )it (?!have|has|need|go|goes|come|get|belong|apply|compare|up|in|with"
    r"|from|out|for|on|back)(?:[^\W_]+ ){1,4}(?:to|that|if|whether)(?! (?:the|my|a|an) )"
    r"|es (?:[^\W_]+ ){1,5}(?:zu|dass|ob)|(?:gibt|regnet|schneit) es|es (?:gibt|regnet|schneit)"
    r"|wie geht es|il (?:y a|fait|faut|pleut|s agit|est [^\W_]+ (?:de|que))"
    r"|(?:fait|faut|pleut|y a t|est) il|est ce(?: que| qu)?|ça va|por eso|per favore)(?= )"
)
_THINGS = re.compile(
    r" (?:its?|they|them|their|es|sie|er|ihn|ihm|ihnen|damit|dafür|davon|dazu|darauf|darüber|daran"
    r"|dabei|darin|dagegen|dies|ils?|elles?|lui|leur|ça|cela|ceci|celui|celle|ceux|celles|él|ella"
    r"|ellos|ellas|eso|esto|aquello|lei|loro|questo|quello|quella|ciò|ne|eles?|elas?|isso|isto"
    r"|aquilo|disso|nisso|deles?|delas?|nele|nela)(?= )"
    r"|(?:peu[xt]|puis je|pouvons|dois|doit|faut|vais|veux|comment|pour|on) (?:le|la|les|l|en|lui)"
    r" [^\W_]+(?:er|ir|re)(?= )"
    r"|[^\W_]+[aei]r(?:l[oaei]s?|ne)(?= )| (?:se |me |te )?lo (?!que |mejor |más |zucchero )(?=[^\W_])"
    r"|[^\W_]+[âêáéí] l[oa]s?(?= )"
)
_DEMONSTRATIVE = re.compile(
    r" (?P<before>[^\W_]+|\|) (?:that|this|these|those)(?= (?:\||is|s|was|are|were|does|do|did|will"
    r"|would|can|could|should|have|has|so|too|also|then|work|mean|cost|take|sound|look|for|with|in"
    r"|on|at|as|or|and|again)\b| \|)"
)
# German nouns have a capital: "das" before two small words, or before a mark, is a pronoun.
_DAS = re.compile(r"\b[Dd]as(?=\s*(?:[?.!,]|$)| [a-zäöüß]+(?:\s*[?.!,]| [a-zäöüß]|$))")
_POINTED = re.compile(
    r" (?:that|this|these|those|diese[rsnm]?|cette|ces|ese|esa) (?P<noun>[^\W_]+)"
)
_THERE = re.compile(
    r" (?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!hi )(?<!hey )(?<!hello )there"
    r"(?! (?:is|are|was|were|s|a|an|any|been|be)\b)(?= )"
    r"| (?:dort|dorthin|là bas|là|allí|alli|ahí|allá|lì|laggiù|ci sono andat[oaie]|lá)(?= )"
)
_THEN = re.compile(
    r" (?:back|by|since|until|till|before) then(?= )|(?<!\|) then (?=\||or )"
    r"| (?:damals|entonces|à ce moment là|até lá)(?= )|(?<!\|) (?:dann|alors|allora|então) (?=\|)"
)
_SAID = re.compile(
    r" (?:you|u) (?:said|told|mentioned|suggested|recommended|wrote|listed|called|gave|call)(?= )"
    r"| (?:did|do) (?:you|u) (?:say|mention|suggest|recommend|tell|call|write)(?= )"
    r"| your (?:[^\W_]+ )?(?:list|suggestions?|recommendations?|tips?|ideas?|answer)(?= )"
    r"| (?:du|sie) (?:[^\W_]+ ){0,5}(?:gesagt|erwähnt|empfohlen|genannt|vorgeschlagen|geschrieben)(?= )"
    r"| (?:tu|vous) (?:[^\W_]+ ){0,4}(?:dit|disais|disiez|mentionné|conseillé|recommandé|proposé)(?= )"
    r"| (?:dijiste|dijo|mencionaste|recomendaste|comentaste|sugeriste|decías)(?= )"
    r"| (?:hai|avevi|ha) (?:[^\W_]+ )?(?:detto|menzionato|consigliato|suggerito)(?= )"
    r"| (?:disseste|disse|falou|mencionou|recomendou|sugeriu)(?= )"
)
_CHOICE = re.compile(
    r" (?:[^\W_]+(?:er|est)|most [^\W_]+|more [^\W_]+|less [^\W_]+|least [^\W_]+|other|only|right"
    r"|same|big|small|old|new|red|green|blue|white|black) ones?(?= )"
    r"| the ones? (?:that|which|with|without|in|on|from|for|you|who|near|by|at|where|i)(?= )"
    r"| the other (?:one|approach|way|option|method|version|half|two|place|idea)?(?= )"
    r"| the [^\W_]{2,}(?:er|est) [^\W_]+ (?:\| )?(?:as you|you)(?= )"
    r"| (?:former|latter|both|neither|either of)(?= )"
    r"| (?:de[rnm]|die|das) (?:[^\W_]{3,}(?:er|st)e[rsn]?|andere[rsn]?|mit|ohne)(?= (?:\||klingt|ist|hat|kostet|auch))"
    r"| (?:el|la|los|las) de (?:la |el |los |las )?[^\W_]+(?= )| (?:celui|celle) (?:de|du|avec|qui)(?= )"
    r"| (?:quello|quella) (?:di|del|della|con)(?= )"
    r"| (?:le|la|les|l|el|los|las|il|o|a) (?:plus|moins|más|menos|più|mais|autre|otro|otra|altro"
    r"|altra|outro|outra)(?= )| (?:celui|celle|ceux|celles|el que|la que|quello che|quella)(?= )"
)
_SEVERAL = re.compile(
    r" (?:these|those|both|all of them|which of them|the two|the three|beide[n]?|les deux|los dos"
    r"|las dos|entrambi|tutti e due|os dois|as duas)(?= )"
)
_WEAK = re.compile(
    r" (?:as well|too|also|auch|aussi|también|tambien|anche|também"
    r"|another|else|instead|similar|same|(?:any|what|which|some|no) other|both|andere[rsn]?|stattdessen|ähnlich[a-z]*"
    r"|gleiche[sn]?|sonst|autres?|même|pareil|otr[oa]s?|mism[oa]|igual|altr[oai]|stess[oa]"
    r"|outr[oa]s?|mesm[oa])(?= )"
)
_ABOUT = re.compile(
    r"^(?: \|| (?:and|but|or|so|ok|okay|und|et|y|e))*"
    r" (?:(?:what|how) about|what if|(?:the )?same (?:again |thing |question )?(?:for|with)|also for"
    r"|was ist mit|wie (?:sieht|ist) es mit|dasselbe für|das gleiche für|et pour|pareil pour|qué tal"
    r"|y para|lo mismo (?:para|con)|e per|lo stesso per|stessa cosa per|e para|o mesmo para)(?= )"
)
_WHY = re.compile(
    r"^(?: \|| (?:but|and|ok|okay|so|aber|und|mais|et|pero|y|ma|e|mas))*"
    r" (?:why|how come|how so|warum|wieso|weshalb|pourquoi|por qué|porque|perché|por que|porquê"
    r"|for example|such as|like what|are you sure|since when)(?= )"
)
_CONTINUE = re.compile(
    r"(?:^|\|)(?: (?:please|ok|okay|yes|and|aye|ja|oui|sí|sim|can you|could you|bitte|then|so))*"
    r" (?:continue|go on|keep going|go ahead|carry on|proceed|more|tell me more|say more|elaborate"
    r"|expand|next|and then|weiter|mach weiter|erzähl(?: mir)? mehr|mehr(?: davon)?|fahr fort|continue[zr]?"
    r"|continua|continúa|sigue|sigue contando|más|vai avanti|vas y|la suite|encore|poursuis|et après"
    r"|avanti|e poi|ancora|prosegui|segue|continue a história)"
    r"(?: (?:please|bitte|por favor|s il te plaît|s il vous plaît|then|details|per favore|pls))* (?=\|)"
)
_REVISE = re.compile(
    r" (?:make|shorten|rewrite|rephrase|reword|translate|turn|cut|trim|polish|mach|kürze|übersetz\w*"
    r"|schreib|fais|raccourcis|traduis|hazlo|acórtalo|tradúcelo|riscrivi|accorcia|traduci|encurta"
    r"|traduz)(?= )| (?:shorter|kürzer|plus court|más corto|più corto|mais curto|half as long)(?= )"
)
_AFTER_ORDINAL = word_set(
    "one ones option item choice approach idea suggestion point step method way thing place two"
    " three answer question version variante option möglichkeit vorschlag punkt idee opción punto"
    " idea opzione opção ponto proposta"
)
_DEFINITE_ARTICLES = word_set("the der die das den dem le la les l el los las il lo gli i o os as")
_GERMAN_ARTICLES = frozenset({"der", "die", "das", "den", "dem", "zum", "zur", "beim"})
_BEFORE_ORDINAL = (DETERMINERS - {"a", "an", "my", "our", "this", "un", "une", "ein", "eine"}) | {
    "del", "al", "zum", "zur", "beim", "du", "au", "della", "do", "da", "no", "na",
}  # fmt: skip
_NUMBERED = re.compile(
    r" (?:option|number|nr|no|#|step|point|nummer|punkt|schritt|opción|número|numéro|opzione|numero"
    r"|opção|variante) (?P<place>[^\W_]+)(?= )"
)


@dataclass(frozen=True, slots=True)
class Cues:
    """What a query takes from the exchanges before it."""

    content: int
    positions: tuple[int, ...] = ()
    people: Set[str] = frozenset()
    chooses: bool = False
    recalls: bool = False
    asks_why: bool = False
    continues: bool = False
    revises: bool = False
    several: bool = False
    leans: bool = False

    @property
    def any(self) -> bool:
        """Whether the query needs any of them."""
        return bool(self.positions or self.chooses or self.recalls or self.leans)


def find(query: str, recent_stems: Set[str], answered: Set[str] = frozenset()) -> Cues:
    """The cues of `query`.

    `recent_stems` are words of the recent exchanges, `answered` those that only the last answer has.
    """
    query = query[:LONGEST]
    before, main = _main(_MASKED.sub(" quoted ", query))
    tokens = _TOKEN.findall(main)
    lowered = ["|" if not word[0].isalnum() and word != "#" else word.lower() for word in tokens]
    raw = f" {' '.join(lowered)} | "
    text = _IMPERSONAL.sub(" ", raw)
    if _NEW_TOPIC.search(f" {' '.join(_TOKEN.findall(query.lower()))} "):
        return Cues(content=len(lowered))
    content = {word for word in lowered if word not in FUNCTION_WORDS and word not in "|#"}
    is_free = _is_free(before, main)
    people = next((each for each in (HE, SHE) if _person(each, text, is_free)), frozenset[str]())
    return Cues(
        content=len(content),
        positions=_positions(tokens, lowered, raw, recent_stems),
        people=people,
        chooses=bool(_CHOICE.search(text)),
        recalls=bool(_SAID.search(text)),
        asks_why=bool(_WHY.search(text)) and len(content) <= 3,
        continues=bool(_CONTINUE.search(text)) and len(content) <= 5,
        revises=bool(_REVISE.search(text)) and len(content) <= 6,
        several=bool(_SEVERAL.search(text)),
        leans=bool(people)
        or bool(_DAS.search(main))
        or (len(content) <= 3 and _has_definite(lowered, answered))
        or _leans(text, lowered, content, recent_stems, is_free),
    )


def _main(query: str) -> tuple[str, str]:
    """The sentences before the first question, and the questions; all where nothing is asked."""
    spans = sentences.split(query)
    asked = [(start, end) for start, end in spans if query[start:end].endswith("?")]
    if not asked:
        return "", query
    return query[: asked[0][0]], " ".join(query[start:end] for start, end in asked)


def _leans(
    text: str,
    lowered: list[str],
    content: Set[str],
    recent_stems: Set[str],
    is_free: Callable[[str], bool],
) -> bool:
    if _CONTINUE.search(text) or _ABOUT.search(text):
        return len(content) <= 5
    if _WHY.search(text) and len(content) <= 3:
        return True
    if not content:
        return True
    if len(content) <= 5 and lowered[0] in CONJUNCTIONS:
        return True
    if len(content) <= 3 and _WEAK.search(text):
        return True
    if len(content) <= 3 and any(
        match["noun"] not in TIMES | FUNCTION_WORDS for match in _POINTED.finditer(text)
    ):
        return True
    if len(content) > 6 and not any(words.stem(word) in recent_stems for word in content):
        return False
    return _has_pronoun(text, is_free)


def _has_definite(lowered: list[str], answered: Set[str]) -> bool:
    """Whether the query has a definite noun that the last answer brought up: "the jitter"."""
    return any(
        last in _DEFINITE_ARTICLES and words.stem(word) in answered
        for last, word in pairwise(lowered)
    )


def _has_pronoun(text: str, is_free: Callable[[str], bool]) -> bool:
    """Whether a pronoun stands for something that the query does not name before it."""
    if _THEN.search(text):
        return True
    found = [match.start() for match in _THINGS.finditer(text)]
    found += [match.start() for match in _THERE.finditer(text)]
    found += [
        match.start("before")
        for match in _DEMONSTRATIVE.finditer(f" |{text}")
        if match["before"] == "|" or match["before"] in FUNCTION_WORDS
    ]
    return any(is_free(text[:at]) for at in found)


def _person(kind: Set[str], text: str, is_free: Callable[[str], bool]) -> bool:
    pronouns = "he him his él lui" if kind is HE else "she her hers ella lei"
    places = [text.find(f" {word} ") for word in pronouns.split()]
    return any(at >= 0 and is_free(text[:at]) for at in places)


def _is_free(before: str, main: str) -> Callable[[str], bool]:
    """Tells whether nothing is named before the clause that a part of the text ends in."""
    naming = [bool(_names(clause)) for clause in (before, *_CLAUSE_END.split(main))]
    return lambda part: not any(naming[: len(_CLAUSE_END.findall(part.replace("|", ","))) + 1])


def _names(clause: str) -> bool:
    found = _TOKEN.findall(clause)
    return any(
        word.lower() not in FUNCTION_WORDS
        and (last.lower() in DETERMINERS or (word[0].isupper() and word.lower() not in TIMES))
        for last, word in pairwise(found)
    )


def _positions(
    tokens: list[str], lowered: list[str], text: str, recent_stems: Set[str]
) -> tuple[int, ...]:
    """The places in a list that the query names; -1 is the last."""
    if numbered := _NUMBERED.search(text):
        place = numbered["place"]
        at = POSITIONS.get(place) or (ord(place) - ord("a") + 1 if len(place) == 1 else 0)
        return (at,) if 0 < at <= 10 else ()
    if len([word for word in lowered if word != "|"]) == 1 and lowered[0] in POSITIONS:
        return (POSITIONS[lowered[0]],)
    found: list[int] = []
    for at, word in enumerate(lowered):
        if (word in POSITIONS and word not in CARDINALS) or word in LAST:
            following = [*lowered[at + 1 :], "|", "|"][:2]
            last = lowered[at - 1] if at else ""
            # A German noun would have a capital.
            is_alone = last in _GERMAN_ARTICLES and following[0] != "|" and tokens[at + 1].islower()
            if not is_alone and not _is_pointing(last, following, recent_stems):
                continue
            place = -1 if word in LAST else POSITIONS[word]
            found += (place, place + 1) if following[0] in {"two", "beiden", "dos"} else (place,)
    return tuple(dict.fromkeys(found))


def _is_pointing(last: str, following: list[str], recent_stems: Set[str]) -> bool:
    """Whether an ordinal is about a list, and not about a date, a time or an order."""
    after, then = following
    if last not in _BEFORE_ORDINAL:
        return after in _AFTER_ORDINAL and last not in {"a", "my"}
    if after in {"of", "de", "von"}:
        return then in {"the", "these", "those", "them", "your", "ellos", "ces"}
    return after not in TIMES and (
        after in _AFTER_ORDINAL | FUNCTION_WORDS | {"|"} or words.stem(after) in recent_stems
    )
