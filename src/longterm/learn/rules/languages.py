"""The plain forms of the commonest facts in other languages than English."""

import re
from unicodedata import normalize

from longterm.learn.rules.constraints import allergens
from longterm.learn.rules.foreign import OCCUPATION
from longterm.learn.rules.homes import places
from longterm.learn.rules.identity import names, nicknames
from longterm.learn.rules.shapes import Accept, Rule, several, trim, whole
from longterm.learn.rules.words import FIRST_NAMES

_ENDS = re.compile(
    r"(?i)\s+(?:und (?:ich|bin|mag|habe|arbeite|wohne)|en (?:ik|ben|heb|werk|woon)|maar|want|sinds|samen|met|et (?:je|j')|y (?:vivo|trabajo|soy|me|tengo)|e"
    r" (?:vivo|abito|lavoro|sono|moro|trabalho|sou|gosto|tenho|ho)|aber|mais|pero|ma|mas|"
    r"weil|denn|car|parce|"
    r"porque|perché|pois|seit|depuis|desde|da (?:due|tre|\d)|há|mit|avec|con|com|zusammen|"
    r"gerade|actuellement|ahora|adesso|agora|jetzt|momentan|también|auch|aussi|anche|"
    r"também|por favor|bitte)\b.*"
)
_NOT_TASTE = re.compile(
    r"(?i)(?:jou|je|jullie|hem|haar|het|dit|dat|deze|es|das|dich|dir|dein\w*|sie|ihn|wie|wenn|die|der|diese\w*|den|nicht|kein\w*|"
    r"ça|cela|que|quand|ta|ton|te|tes|vos|votre|le fait|bien (?:ta|ton|que)|ce|cette|mucho"
    r" que|"
    r"tu|tus|eso|esto|cómo|cuando|que|tua?|la tua|il tuo|che|quando|questo|questa|o teu|a"
    r" tua|de ti|disso|isso|seu|sua|como|quien|la idea|la respuesta|el segundo|wirklich"
    r" nicht|mehr|pas|plus|mieux|più|más|mais|nada|lo|la primera|la segunda|deine|ta"
    r" réponse|l'idée|no|non|não|te|ti|il (?:primo|secondo)|a ideia)\b"
)


# "vivo en medellín": typed without capitals, and nothing else that one can live in.
_SMALL_TOWN = re.compile(
    r"(?!(?:casa|paz|pareja|familia|soledad|pecado|armonía|miete|untermiete|frieden|angst|sünde|"
    r"couple|paix|ville|campagne|affitto|famiglia|centro|città|pace|coppia|apartamento|família|"
    r"harmonia|casal|vrede|zonde|angst|hier|einer|einem|eine|una|uno|ein)\b)[^\W\d_]{4,}"
)


def _place(captured: str) -> list[str]:
    text = re.sub(r"(?i)\s+(?:und|et|y|e|en)\s.*", "", captured)
    found = places(trim(_ENDS.sub("", text)))
    return [value for value in found if value[:1].isupper() or _SMALL_TOWN.fullmatch(value)]


def _taste(captured: str) -> list[str]:
    text = trim(_ENDS.sub("", captured))
    if not text or _NOT_TASTE.match(text) or len(text.split()) > 6:
        return []
    return several(text)


def _allergen(captured: str) -> list[str]:
    return allergens(_ENDS.sub("", captured))


def _name(captured: str) -> list[str]:
    return names(_ENDS.sub("", captured))


def _introduced(captured: str) -> list[str]:
    """After a bare "I am" only what is known as a name."""
    plain = normalize("NFD", captured.casefold()).encode("ascii", "ignore").decode()
    return [captured] if plain in FIRST_NAMES else []


def _title(captured: str) -> list[str]:
    return [name for name in nicknames(_ENDS.sub("", captured)) if name[:1].isupper()]


def _work(captured: str) -> list[str]:
    text = trim(
        re.sub(r"(?i)\s+(?:in|à|en|a|em|como|als|comme|come)\s.*|,.*", "", _ENDS.sub("", captured))
    )
    return [text] if text and len(text.split()) <= 4 else []


def _firm(captured: str) -> list[str]:
    return [value for value in _work(captured) if value[:1].isupper()]


def _named(pattern: str, accept: Accept = _name) -> Rule:
    return Rule(pattern, "identity", "name", accept, importance=0.95)


def _called(pattern: str) -> Rule:
    return Rule(pattern, "identity", "nickname", _title, importance=0.9)


def _home(pattern: str) -> Rule:
    return Rule(pattern, "identity", "home", _place, importance=0.8)


def _allergy(pattern: str) -> Rule:
    return Rule(pattern, "constraint", "allergy:{}", _allergen, importance=0.95)


def _diet(pattern: str) -> Rule:
    return Rule(pattern, "constraint", "diet", importance=0.9)


def _likes(pattern: str) -> Rule:
    return Rule(pattern, "preference", "likes:{}", _taste, confidence=0.7, importance=0.5)


def _dislikes(pattern: str) -> Rule:
    return Rule(pattern, "preference", "dislikes:{}", _taste, confidence=0.7, importance=0.5)


def _job(pattern: str, accept: Accept = _work) -> Rule:
    return Rule(pattern, "identity", "occupation", accept, confidence=0.8, importance=0.7)


def _employer(pattern: str) -> Rule:
    return Rule(pattern, "identity", "employer", _firm, confidence=0.8, importance=0.7)


_STOP = r"(?=$|[,.]| (?:und|et|y|e|aber|mais|pero|ma|mas|seit|depuis|desde|da|há)\b)"

_AFTER_JOB = (
    r"(?=$|[,.]| (?:bei|in|chez|à|en|para|a|presso|em|na|no|bij|voor|aan|op|und|et|y|e|aber|mais|pero|ma|mas|"
    r"seit|depuis|desde|da|há|aus|von)\b)"
)

_FOODS = (
    r"(?P<v>fleisch|schweinefleisch|rindfleisch|fisch|milchprodukte|gluten|eier|alkohol|carne(?: de cerdo)?|"
    r"cerdo|pescado|lácteos|huevos|mariscos|alcohol|viande|porc|poisson|produits laitiers|œufs|alcool|"
    r"maiale|pesce|latticini|glutine|uova|porco|peixe|laticínios|ovos|glúten|álcool|vlees|varkensvlees|vis|"
    r"zuivel|eieren)(?=$|[,.]| (?:und|et|y|e|en|aber|mais|pero|ma|mas|maar)\b)"
)

RULES: list[Rule] = [
    _named(r"(?:ich heiße|ich heisse|mein name ist|mein vorname ist) (?P<v>.+)"),
    _named(r"(?:ik heet|mijn naam is) (?P<v>.+)"),
    _called(r"(?:noem me|je mag me|jullie mogen me)(?: maar| gewoon)? (?P<v>[A-ZÀ-Þ][\w-]+)"),
    _named(r"(?:je m'appelle|moi c'est|mon (?:nom|prénom) est|mon (?:nom|prénom) c'est) (?P<v>.+)"),
    _named(r"(?:(?:yo )?me llamo|mi nombre es) (?P<v>.+)"),
    _named(r"(?:(?:io )?mi chiamo|il mio nome è) (?P<v>.+)"),
    _named(r"(?:(?:eu )?(?:me chamo|chamo-me)|(?:o )?meu nome é) (?P<v>.+)"),
    _called(
        r"(?:(?:bitte )?(?:nenn|nenne|nennt) mich(?: bitte| einfach)?|(?:du kannst|ihr könnt)"
        r" mich) (?P<v>[A-ZÀ-Þ][\w-]+)(?: nennen)?"
    ),
    _called(
        r"(?:(?:s'il te plaît )?appelle-moi|appelez-moi|tu peux m'appeler|vous pouvez"
        r" m'appeler) (?P<v>.+)"
    ),
    _called(r"(?:(?:por favor )?llámame|puedes llamarme|me dicen|todos me llaman) (?P<v>.+)"),
    _called(r"(?:chiamami|puoi chiamarmi|tutti mi chiamano) (?P<v>.+)"),
    _called(
        r"(?:me chame?(?: de)?|chama-me|pode me chamar de|podes chamar-me|podes tratar-me por)"
        r" (?P<v>.+)"
    ),
    _home(
        r"(?:(?:ich|wir) )?(?:wohne|wohnen|lebe|leben)(?: (?:jetzt|derzeit|seit \w+ (?:jahren|monaten|wochen)|"
        r"aktuell|schon lange|hier|seit \w+))* in (?P<v>.+)"
    ),
    _home(
        r"(?:j'habite|nous habitons|je vis|on habite)(?: (?:maintenant|actuellement|"
        r"toujours))?(?: à| en| au| aux| dans le| près de) (?P<v>.+)"
    ),
    _home(r"(?:yo )?(?:vivo|vivimos|resido)(?: (?:ahora|actualmente))? en (?P<v>.+)"),
    _home(
        r"(?:io )?(?:abito|vivo|viviamo|abitiamo)(?: (?:ora|adesso|attualmente))? (?:a|ad|in|"
        r"nel) (?P<v>.+)"
    ),
    _home(r"(?:eu )?(?:moro|vivo|moramos)(?: (?:agora|atualmente))? (?:em|no|na|nos) (?P<v>.+)"),
    _allergy(
        r"ich bin (?:stark |sehr |leider |hochgradig )?(?:allergisch) (?:gegen|auf) (?P<v>.+)"
    ),
    _home(r"(?:ik |wij )?(?:woon|wonen)(?: (?:nu|momenteel|al jaren))* in (?P<v>.+)"),
    Rule(
        r"(?:(?:ich )?(?:esse|trinke) keine?n?|je ne (?:mange|bois) pas (?:de |d')|(?:yo )?no (?:como|bebo|tomo)|"
        r"non (?:mangio|bevo)|(?:eu )?não (?:como|bebo)|ik (?:eet|drink) geen) ?" + _FOODS,
        "constraint",
        "avoids:{}",
        confidence=0.8,
        importance=0.8,
    ),
    Rule(
        r"(?:(?:ich )?komme (?:ursprünglich )?aus|je viens (?:de |d'|du )|(?:yo )?soy de|(?:io )?(?:vengo da|"
        r"sono di)|(?:eu )?sou d[eo]|(?:ik )?kom uit) ?(?P<v>(?-i:[A-ZÀ-Þ]).+)",
        "identity",
        "hometown",
        _place,
        confidence=0.8,
    ),
    Rule(
        r"(?:ich habe|j'ai|(?:yo )?tengo|(?:io )?ho|(?:eu )?tenho|ik heb) (?P<v>(?:zwei|drei|vier|deux|trois|"
        r"quatre|dos|tres|cuatro|due|tre|quattro|dois|duas|três|quatro|twee|drie|\d) (?:kinder|enfants|hij[oa]s|"
        r"figli|filh[oa]s|kinderen|söhne|töchter|filles|fils))\b",
        "identity",
        "children",
        confidence=0.8,
    ),
    _named(
        r"(?:ich bin(?: der| die)?|je suis|(?:yo )?soy|(?:io )?sono|(?:eu )?sou(?: o| a)?|ik ben)"
        r" (?P<v>[^\W\d_]+)(?=$|,| (?:und|et|y|e|en)\b)",
        _introduced,
    ),
    _allergy(r"ik ben (?:erg |heel |zwaar )?allergisch voor (?P<v>.+)"),
    _diet(rf"ik ben (?P<v>vegan|veganist|vegetariër|vegetarisch|lactose-intolerant){_STOP}"),
    _likes(r"ik (?:hou|houd) (?:erg |heel veel )?van (?P<v>.+)"),
    _dislikes(r"ik (?:haat|hou niet van|houd niet van) (?P<v>.+)"),
    _allergy(r"(?:ich )?habe eine (?P<v>[\w]+allergie)\b"),
    _allergy(
        r"je suis (?:très |gravement |fortement )?(?:allergique) (?:aux |au |à la |à l'|à |"
        r"(?=l'))(?P<v>.+)"
    ),
    _allergy(
        r"(?:yo )?soy (?:muy )?(?:alérgic[oa]|alergic[oa]) (?:a los|a las|al|a la|a) (?P<v>.+)"
    ),
    _allergy(
        r"(?:io )?sono (?:molto )?(?:allergic[oa]) (?:alle|agli|ai|al|alla|all'|a) ?(?P<v>.+)"
    ),
    _allergy(r"(?:eu )?sou (?:muito )?(?:alérgic[oa]) (?:a|ao|aos|à|às) (?P<v>.+)"),
    _diet(
        r"(?:ich )?bin(?: (?:seit \w+ jahren|strikt|auch|überzeugte[r]?|strenge[r]?))* (?P<v>vegan|"
        r"vegetarisch|veganer(?:in)?|vegetarier(?:in)?|pescetarier(?:in)?|"
        rf"laktoseintolerant){_STOP}"
    ),
    _diet(
        r"ich (?:ernähre mich|esse|lebe)(?: (?:nur|strikt|komplett))* (?P<v>vegan|vegetarisch|"
        rf"halal|koscher|glutenfrei){_STOP}"
    ),
    _diet(
        r"je suis (?P<v>végan[e]?|vegan[e]?|végétalien(?:ne)?|végétarien(?:ne)?|intolérante?"
        rf" au (?:lactose|gluten)){_STOP}"
    ),
    _diet(
        r"(?:yo )?soy (?P<v>vegan[oa]|vegetarian[oa]|intolerante a la"
        rf" lactosa){_STOP}"
    ),
    _diet(
        r"(?:io )?sono (?P<v>vegan[oa]|vegetarian[oa]|intollerante al"
        rf" lattosio){_STOP}"
    ),
    _diet(rf"(?:eu )?sou (?P<v>vegan[oa]|vegetarian[oa]|intolerante à lactose){_STOP}"),
    Rule(
        r"(?:(?:yo )?soy|(?:io )?sono|(?:eu )?sou) (?P<v>cel[ií]ac[oa])\b",
        "constraint",
        "allergy:celiac",
        importance=0.95,
    ),
    _likes(
        r"ich (?:mag|liebe|trinke gern|esse gern)(?: (?:sehr|wirklich|auch|total|am"
        r" liebsten))* (?P<v>.+)"
    ),
    _likes(r"(?:j'adore|j'aime)(?: (?:beaucoup|bien|vraiment|aussi))* (?P<v>.+)"),
    _likes(r"(?:a mí )?me (?:gustan?|encantan?)(?: (?:mucho|muchísimo|también))* (?P<v>.+)"),
    _likes(r"(?:a me )?(?:mi (?:piace|piacciono)|adoro|amo)(?: (?:molto|tanto|anche))* (?P<v>.+)"),
    _likes(r"(?:eu )?(?:gosto(?: muito)? de|adoro|amo) (?P<v>.+)"),
    _dislikes(r"ich (?:hasse|verabscheue) (?P<v>.+)"),
    _dislikes(r"ich mag (?:überhaupt )?kein(?:e|en)? (?P<v>.+)"),
    _dislikes(r"(?:je déteste|je n'aime pas) (?P<v>.+)"),
    _dislikes(r"(?:odio|no me gustan?) (?P<v>.+)"),
    _dislikes(r"(?:odio|detesto|non mi (?:piace|piacciono)) (?P<v>.+)"),
    _dislikes(r"(?:odeio|detesto|não gosto de) (?P<v>.+)"),
    _job(r"(?:ich )?arbeite als (?P<v>.+)"),
    _job(r"(?:ik )?werk als (?P<v>.+)"),
    _employer(r"(?:ik )?werk (?:bij|voor) (?P<v>.+)"),
    _job(
        r"(?:ich bin|je suis|(?:yo )?soy|(?:io )?sono|(?:eu )?sou|ik ben)(?: (?:un|une|una|um|uma|een|"
        rf"eine?|von beruf))? (?P<v>{OCCUPATION}){_AFTER_JOB}",
        whole,
    ),
    _employer(
        r"(?:ich bin|je suis|(?:yo )?soy|(?:io )?sono|(?:eu )?sou|ik ben)(?: (?:un|une|una|um|uma|een|"
        rf"eine?))? {OCCUPATION} (?:bei|chez|en|presso|na|no|bij) (?P<v>(?-i:[A-ZÀ-Þ]).+)"
    ),
    _job(r"je travaille comme (?P<v>.+)"),
    _job(r"trabajo (?:como|de) (?P<v>.+)"),
    _job(r"lavoro come (?P<v>.+)"),
    _job(
        r"(?:(?:ich )?arbeite|je travaille|trabajo|lavoro|trabalho|(?:ik )?werk) (?:bei|für|chez|pour|en|para|"
        r"per|da|alla|na|no|em|bij|voor) [\w ]{2,30}? (?:als|comme|como|come) (?P<v>.+)"
    ),
    _job(r"trabalho como (?P<v>.+)"),
    _employer(r"(?:ich )?arbeite (?:bei|für) (?P<v>.+)"),
    _employer(r"je travaille (?:chez|pour) (?P<v>.+)"),
    _employer(r"trabajo (?:en|para) (?P<v>[A-Z].+)"),
    _employer(r"lavoro (?:per|in|da|alla) (?P<v>[A-Z].+)"),
    _employer(r"trabalho (?:na|no|para a|em) (?P<v>[A-Z].+)"),
]
