"""Words before a statement that say how it is meant: greetings, corrections, "remember that"."""

import re

_MOST_OPENERS = 8

_GREETING = (
    r"(?:hi|hello|hey|hiya|hey+|heya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|"
    r"hallo|hoi|hola|salut|bonjour|ciao|salve|olá|ola|oi|moin|servus|guten (?:tag|morgen|abend)|"
    r"buenos días|buenas|buongiorno|bom dia|boa tarde|nice to meet you)\b"
    r"(?: (?:there|all|everyone|everybody|again|guys|team|folks|claude|chatgpt|gpt|bot|assistant|"
    r"ai|zusammen|à tous|a todos|a tutti)\b)*(?: [\w-]{2,15}(?=[,!]))?"
)
_CORRECTION = (
    r"(?:actually|in reality|i said(?= (?:i|i'm|im|my)\b[^,.]{2,40}, not )|no+(?=\s*(?:[,.!]|i\b|i'|my\b|we\b|\Z))|nope|nah|oops|whoops|"
    r"correction|to correct (?:that|you|myself)|"
    r"(?:oh )?scratch that|strike that|that(?:'s| is|s) (?:wrong|not right|incorrect|not true|"
    r"outdated|old)|my (?:bad|mistake)|i (?:meant|mean|misspoke|was wrong|made a mistake|lied)|"
    r"not any ?more|you(?:'re| are|ve| have)? (?:got )?(?:that )?(?:wrong|mistaken)|"
    r"(?:small |quick |a |one )?correction|(?:nein|non|nee)(?=\s*[,.!])|eigentlich|en fait|en realidad|in realtà|"
    r"na verdade|wait,? no|let me correct (?:that|myself))\b"
)
_TELLING = (
    r"(?:for future reference(?=[\s,:]*(?:\Z|(?:i|i'm|my|our|we|the)\b))|(?:(?:please|pls|"
    r"and|also|just|kindly|can you|could you|would you|will you|you should|"
    r"you can|i want you to|i'd like you to|i need you to|make sure (?:to|you)|try to|always)"
    r" )*"
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
    r"(?:oh|ah|aw+|ugh+|argh|gosh|man|dude|well|so(?! (?:that )?you know)|ok|okay|alright|yes|yeah|yep|yup|sure|"
    r"right|um+|uh+|hm+|and|but|also|"
    r"plus|btw|by the way|fyi|tl;?dr|anyway|anyways|honestly|to be honest|tbh|in fact|just(?! (?:moved|relocated|so (?:that )?you know)\b)|look|listen|"
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
    r"nowadays|currently|at present|today|lately|recently(?! (?:moved|relocated)\b)|unfortunately|sadly|luckily|"
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


def _gap(text: str, position: int) -> int:
    found = _GAP.match(text, position)
    return found.end() if found else position
