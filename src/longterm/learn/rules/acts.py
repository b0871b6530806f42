"""What an assistant can be told to do in every answer, as patterns."""

import re

from longterm.learn.rules.words import LANGUAGE

POLITE = (
    r"(?:(?:please|pls|kindly|also|just|can you|could you|would you|will you|i want you to|"
    r"i'd like you to|i would like you to|i need you to|i expect you to|i'd prefer (?:it )?if you|"
    r"i'd rather you|you should|you must|you need to|you have to|make sure (?:to|you|that you)|"
    r"be sure to|remember to|try to|bitte|s'il te plaît|por favor|per favore),? )*"
)

# "Never give up" and "always returns None" are not among them.
ACT = (
    r"(?:(?:answer|reply|respond|use|write|address|call|explain|format|cite|include|translate|"
    r"summari[sz]e|convert|speak|greet|check|double[- ]check|confirm|verify|apologi[sz]e|sugarcoat|"
    r"lecture|comment|skip|spell|round|capitali[sz]e|indent|interrupt|guess|invent|swear|curse|"
    r"correct|avoid|talk|stick|treat|consider|annotate|document|display|present|spoil|number|"
    r"highlight|output|wrap|review|propose|prioriti[sz]e|refer|pronounce|proofread|end|begin|"
    r"start|finish|sign|repeat|assume|prefer|mention|quote|recommend|suggest|provide|list|add|"
    r"keep|test|print|sort|schedule|book|push|commit|insert|omit|simplify|ask|tell|remind|warn|"
    r"quiz|offer|show|send|give|put|phrase|structure|limit|say|think|do|make|be (?:\w+ly )?(?:brief|"
    r"concise|short|formal|informal|direct|honest|blunt|polite|specific|"
    r"thorough|critical|more|less|as|extra|patient|friendly|gentle|strict|precise|clear|casual|"
    r"playful|succinct|kind|very|nice to me|encouraging|skeptical)|bring up|open|"
    r"close|leave out|stay|drop|point out|flag|focus|let me know)\b(?!-))"
)
NOT_ACT = re.compile(
    r"""(?ix) (?:
        say\s(?:never|that|it|die) | do\s(?:that|this|it|so|your|what|things|well)\b |
        make\s(?:me|it|sense|mistakes|my|your|a|an|the|sure\sto\ssmile|time|us|people|for)\b |
        give\s(?:up|in|it|your|back|to|thanks|100|a\sdamn|everything) | keep\s(?:going|trying|
        learning|moving|the\sfaith|it\sup|smiling|pushing|on|an\seye|your\s(?:head|chin|eyes|
        friends|cool|promise)|a\s) | think\s(?:twice|about|of|positive|that|before) |
        (?:do|be)\s(?:not|you|yourself|happy|there|grateful|thankful|careful|prepared|the|my|good|
        nice|kind\sto\syour|ready|late|afraid|ashamed|a|an|able|good|in|on|at|with|so|too|proud)\b |
        check\s(?:your|the|his|her)\b | test\s(?:positive|negative)? $ | add\sup | talk\s(?:about|
        to\s(?:strangers|him|her|them|my|your))\b | show\s(?:up|off|them|him|her)\b |
        tell\s(?:him|her|them|anyone|people|your|a\slie|lies|the\struth)\b | stay\s(?:positive|
        strong|true|hungry|calm|up|home|late|safe|hydrated)\b | put\s(?:your|off|family|down) |
        leave | end\s(?:up|well)\b | start\s(?:over|from|small)\b | ask\s(?:for\shelp|him|her|them|
        why|yourself|myself)\b | open\sup | drop\s(?:the\sball|out) | call\s(?:him|her|them|home|
            my)\b |
        remember\s(?:that|who|where|your|how|him|her|the)\b | send\s(?:money|your)\b |
        use\syour\s(?:head|brain) | avoid\sthe\splague | speak\s(?:ill|up|to\shim|to\sher)\b |
        (?:stick|refer|treat|begin|finish|sign\s(?:up|a\b)|repeat|close|drop|limit)\s*$
        | book\s(?:early|in\sadvance) | assume\sthe | offer\sto\shelp
    )"""
)

STANDING = (
    r"(?:from (?:now|today) on(?:wards?)?|from here on(?: out)?|going forward|moving forward|henceforth|"
    r"starting (?:now|today)|as a (?:general )?rule|in (?:the )?future(?: (?:answers|replies|"
    r"responses|messages|chats|conversations))?|for (?:all )?(?:future|any future|all your|every)"
    r" (?:reference|answers?|replies|responses?|messages?|chats|conversations?|requests?)|"
    r"(?:in|for|with) (?:all|every|each|any)(?: of)?(?: your| future| my)* (?:answers?|replies|"
    r"reply|responses?|messages?|explanations?|conversations?|chats?|code|emails?|examples)(?: (?:that )?you (?:write|send|give|make|show)"
    r"(?: (?:for |to )?me)?)?|"
    r"every (?:single )?time|each time|at all times|until i (?:say|tell you) otherwise|"
    r"in (?:all )?our (?:chats|conversations))"
)
OCCASION = (
    r"(?:(?:whenever|every time|each time|any ?time) (?:i|you|we|someone)\b[^,]{2,80}|"
    r"when (?:i (?:ask|say|request|send|give|write|type|paste|post|share)|you (?:answer|reply|"
    r"respond|write|explain|talk|give|suggest|recommend|show|send|code|translate|address|help)|(?:answer|writ|explain|cod|respond|reply|"
    r"suggest|recommend|translat|summari[sz])ing)\b"
    r"(?:[^,]{0,80}?(?=,? (?:just|please|always|never|don't|only) )|[^,]{0,80})|if i"
    r" (?:ever )?(?:ask|say|type|write|send|paste)\b[^,]{2,80}(?=,\s+(?:always|never)))"
)
TO_EVERY_ANSWER = re.compile(
    r"(?i)\b(?:in (?:your|any|all|my) (?:answers?|replies|responses?|messages?|explanations?|"
    r"emails)|with me|to me|when (?:you (?:talk|answer|reply|respond|write|explain|address|speak)|"
    r"talking|answering|replying|addressing|writing|speaking)|call(?:ing)? me|address(?:ing)? me|"
    r"emojis?|again|any ?more|every (?:time|answer|message|reply)|so much|all the time|"
    r"apologi[sz]\w+|unless i (?:ask|say|tell|request)|(?:in|for) (?:any|every)thing you (?:write|say|"
    r"send|make)|at the (?:end|start|beginning) of (?:your|every|each)|exclamation "
    r"(?:marks|points)|sugarcoat\w*|lectur\w+|buzzwords)\b"
)
ONCE = re.compile(
    r"(?i)\b(?:this|these|that one|here|today|right now|the following|above|below|just"
    r" once|tonight|"
    r"tomorrow|last|next)\b"
)

# Key by topic, so that a new instruction takes the place of the old one.
TOPICS = [
    (
        "answer_language",
        re.compile(
            rf"(?i)\b(?:in|auf|en|em|in het) (?:plain |simple |only |british |american |brazilian )?"
            rf"{LANGUAGE}\b|\bspeak {LANGUAGE}\b"
        ),
    ),
    ("emojis", re.compile(r"(?i)\bemojis?\b")),
    (
        "answer_length",
        re.compile(
            r"(?i)\b(?:short|shorter|brief|concise|concisely|briefly|succinct\w*|terse|detailed|"
            r"long|lengthy|verbose|under \d+ words|(?:one|two|three|\d+) sentences?|to the point|"
            r"kurz\w*|courtes?|breve\w*|cort[ao]s?|curt[ao]s?)\b"
        ),
    ),
    (
        "units",
        re.compile(r"(?i)\b(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles)\b"),
    ),
    (
        "formality",
        re.compile(
            r"(?i)\b(?:formal|formally|informal|informally|casual|casually|siez\w*|duz\w*|"
            r"tutoie\w*|vouvoie\w*|tutea\w*|tutéame)\b"
        ),
    ),
]

# The same in other languages: an act that is always meant, or an act from now on.
FOREIGN = re.compile(
    r"""(?ix) (?:bitte\s|s'il\ste\splaît,?\s|por\sfavor,?\s|per\sfavore,?\s)* (?:
        (?:duze?|sieze?)\smich(?:\sbitte)?$ | (?:tutoie|vouvoie)-moi$ | tutéame$ | dammi\sdel\s(?:tu|lei)$ |
        (?:antworte|schreib|schreibe|sprich|benutze|verwende|erkläre|nutze|sag|gib)\b[^.]{0,40}?
            \b(?:immer|nie|niemals|ab\sjetzt|ab\ssofort|künftig|in\szukunft)\b
      | (?:ab\sjetzt|ab\ssofort|künftig|in\szukunft|von\sjetzt\san)\s(?:bitte\s)?(?:antworte|
          schreib|
            schreibe|sprich|benutze|verwende|nutze|duz|sieze|nur|immer|keine)\b
      | (?:réponds|répondez|écris|utilise|parle|explique|donne|tutoie)\b(?:-moi)?[^.]{0,30}?
            \b(?:toujours|désormais|dorénavant)\b
      | (?:désormais|dorénavant|à\spartir\sde\smaintenant),?\s(?:réponds|répondez|écris|utilise|
          parle|
            explique|donne|tutoie)
      | n(?:e\s|')(?:réponds|utilise|écris|me\s\w+)\s[^.]{0,20}jamais
      | (?:responde|respóndeme|contesta|contéstame|respondeme|contestame|escríbeme|escribe|usa|háblame|habla|explica)\b[^.]{0,20}?\bsiempre\b
      | (?:siempre|nunca)\s(?:respond\w+|contest\w+|us[ae]\w*|escrib\w+)
      | (?:a\spartir\sde\s(?:ahora|agora)|de\sahora\sen\sadelante|de\sagora\sem\sdiante|
          daqui\s(?:em|para)\s
            (?:diante|a\sfrente)),?\s(?:por\sfavor,?\s)?(?:respond\w+|contesta|us[ea]|
                escrib?v?[ea]|habla|fal[ae]|explica)\b
      | (?:rispondi|rispondimi|scrivi|usa|parla|spiega)\b[^.]{0,20}?\bsempre\b
      | (?:d'ora\sin\spoi|da\sora\sin\spoi|da\sadesso),?\s(?:rispondi|rispondimi|scrivi|usa|parla|
          spiega)
      | non\susare\smai
      | (?:antwoord|schrijf|gebruik|spreek|leg)\b[^.]{0,40}?\b(?:altijd|voortaan|vanaf\snu)\b
      | (?:voortaan|vanaf\snu)\s(?:antwoord|schrijf|gebruik|spreek)
      | gebruik\snooit
      | (?:responda|responde|escreva|use|usa|fale|fala)\b[^.]{0,20}?\bsempre\b
      | (?:sempre|nunca)\s(?:responda|responde|escreva|use|usa|fale|fala)\b
    )"""
)
