"""The plain forms of the commonest facts in German, French, Spanish, Italian and Portuguese."""

import re

from longterm.learn.rules.constraints import allergens
from longterm.learn.rules.identity import names, nicknames, places
from longterm.learn.rules.shapes import Rule, rule, several, trim

_ENDS = re.compile(
    r"(?i)\s+(?:und (?:ich|bin|mag)|et (?:je|j')|y (?:vivo|trabajo|soy|me|tengo)|e"
    r" (?:vivo|abito|lavoro|sono|moro|trabalho|sou|gosto|tenho|ho)|aber|mais|pero|ma|mas|"
    r"weil|denn|car|parce|"
    r"porque|perché|pois|seit|depuis|desde|da (?:due|tre|\d)|há|mit|avec|con|com|zusammen|"
    r"gerade|actuellement|ahora|adesso|agora|jetzt|momentan|también|auch|aussi|anche|"
    r"também|por favor|bitte)\b.*"
)
_NOT_TASTE = re.compile(
    r"(?i)(?:es|das|dich|dir|dein\w*|sie|ihn|wie|wenn|die|der|diese\w*|den|nicht|kein\w*|"
    r"ça|cela|que|quand|ta|ton|te|tes|vos|votre|le fait|bien (?:ta|ton|que)|ce|cette|mucho"
    r" que|"
    r"tu|tus|eso|esto|cómo|cuando|que|tua?|la tua|il tuo|che|quando|questo|questa|o teu|a"
    r" tua|de ti|disso|isso|seu|sua|como|quien|la idea|la respuesta|el segundo|wirklich"
    r" nicht|mehr|pas|plus|mieux|più|más|mais|nada|lo|la primera|la segunda|deine|ta"
    r" réponse|l'idée|no|non|não|te|ti|il (?:primo|secondo)|a ideia)\b"
)


def _place(captured: str) -> list[str]:
    return [value for value in places(trim(_ENDS.sub("", captured))) if value[:1].isupper()]


def _taste(captured: str) -> list[str]:
    text = trim(_ENDS.sub("", captured))
    if not text or _NOT_TASTE.match(text) or len(text.split()) > 6:
        return []
    return several(text)


def _allergen(captured: str) -> list[str]:
    return allergens(_ENDS.sub("", captured))


def _name(captured: str) -> list[str]:
    return names(_ENDS.sub("", captured))


def _title(captured: str) -> list[str]:
    return [name for name in nicknames(_ENDS.sub("", captured)) if name[:1].isupper()]


def _work(captured: str) -> list[str]:
    text = trim(re.sub(r"(?i)\s+(?:in|à|en|a|em)\s.*|,.*", "", _ENDS.sub("", captured)))
    return [text] if text and len(text.split()) <= 4 else []


def _firm(captured: str) -> list[str]:
    return [value for value in _work(captured) if value[:1].isupper()]


def _named(pattern: str) -> Rule:
    return rule(pattern, "identity", "name", _name, importance=0.95)


def _called(pattern: str) -> Rule:
    return rule(pattern, "identity", "nickname", _title, importance=0.9)


def _home(pattern: str) -> Rule:
    return rule(pattern, "identity", "home", _place, importance=0.8)


def _allergy(pattern: str) -> Rule:
    return rule(pattern, "constraint", "allergy:{}", _allergen, importance=0.95)


def _diet(pattern: str) -> Rule:
    return rule(pattern, "constraint", "diet", importance=0.9)


def _likes(pattern: str) -> Rule:
    return rule(pattern, "preference", "likes:{}", _taste, confidence=0.7, importance=0.5)


def _dislikes(pattern: str) -> Rule:
    return rule(pattern, "preference", "dislikes:{}", _taste, confidence=0.7, importance=0.5)


def _job(pattern: str) -> Rule:
    return rule(pattern, "identity", "occupation", _work, confidence=0.8, importance=0.7)


def _employer(pattern: str) -> Rule:
    return rule(pattern, "identity", "employer", _firm, confidence=0.8, importance=0.7)


_STOP = r"(?=$|[,.]| (?:und|et|y|e|aber|mais|pero|ma|mas|seit|depuis|desde|da|há)\b)"

RULES: list[Rule] = [
    _named(r"(?:ich heiße|ich heisse|mein name ist|mein vorname ist) (?P<v>.+)"),
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
        r"(?:(?:ich|wir) )?(?:wohne|wohnen|lebe|leben)(?: (?:jetzt|derzeit|seit \d+ jahren|"
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
    _allergy(r"ich habe eine (?P<v>[\w]+allergie)\b"),
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
        r"ich bin(?: (?:seit \w+ jahren|strikt|auch|überzeugte[r]?|strenge[r]?))* (?P<v>vegan|"
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
        r"(?:yo )?soy (?P<v>vegan[oa]|vegetarian[oa]|celíac[oa]|intolerante a la"
        rf" lactosa){_STOP}"
    ),
    _diet(
        r"(?:io )?sono (?P<v>vegan[oa]|vegetarian[oa]|celiac[oa]|intollerante al"
        rf" lattosio){_STOP}"
    ),
    _diet(rf"(?:eu )?sou (?P<v>vegan[oa]|vegetarian[oa]|celíac[oa]|intolerante à lactose){_STOP}"),
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
    _job(r"je travaille comme (?P<v>.+)"),
    _job(r"trabajo (?:como|de) (?P<v>.+)"),
    _job(r"lavoro come (?P<v>.+)"),
    _job(r"trabalho como (?P<v>.+)"),
    _employer(r"(?:ich )?arbeite (?:bei|für) (?P<v>.+)"),
    _employer(r"je travaille (?:chez|pour) (?P<v>.+)"),
    _employer(r"trabajo (?:en|para) (?P<v>[A-Z].+)"),
    _employer(r"lavoro (?:per|in|da|alla) (?P<v>[A-Z].+)"),
    _employer(r"trabalho (?:na|no|para a|em) (?P<v>[A-Z].+)"),
]
