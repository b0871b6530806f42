"""What in a message is not the user's own talk: code, quotations, pasted text."""

import re

# Nobody introduces themselves at this depth, and a pasted megabyte costs no more than a page.
LOOKED_AT = 20_000

# Stands where something was taken out; no rule accepts it, and offsets stay the same.
MASK = "\ufffc"

_FENCE = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_QUOTATION = re.compile(
    r"""
      "[^"\n]{1,1000}"
    | “[^”“\n]{1,1000}[”“]
    | „[^“”"\n]{1,1000}[“”"]
    | «[^»\n]{1,1000}»
    | »[^«\n]{1,1000}«
    | \u2018[^\u2018\n]{1,1000}?\u2019(?!\w)
    | `[^`\n]{1,300}`
    | (?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,500}'(?!\w)
    """,
    re.VERBOSE,
)
_OPEN_QUOTATION = re.compile(r'(?<!\w)["“„«]\w[^\n]*$', re.MULTILINE)
_SMILEY = re.compile(r"(?<!\S)[:;=]'?-?[)(DPp]+(?!\w)|(?<!\S)(?:<3|\^\^|xD)(?!\w)")
_SPEAKS = re.compile(
    r"(?i)\b(?:i|i[\u2019']?m|me|my|we|always|never|call|from now|ich|mein\w*|je|"
    r"j[\u2019']|mon|ma|yo|soy|mi|io|sono|eu|sou|meu|minha|vivo|moro)\b"
)
_LONGEST_TERM = 40

_CODE_LINE = re.compile(
    r"""^(?:
        [ \t]{4,}\S | \t
      | \s*(?:def|class|import|return|elif|else:|try:|except|raise|assert|await|async|print|const|
            let|var|public|private|function|package|using|namespace|SELECT|INSERT|UPDATE|CREATE|
            FROM|WHERE|RUN|ENV|export)\b(?=.*[(){}=;:*@])
      | \s*(?:\#include|//|/\*|\#!|\$\s|>>>|\.\.\.\s|<\/?\w+|at\s\w+[.(]|File\s|Traceback)
      | \s*\#\s
      | \s*[\w.-]+\s*=\s*\S
      | \s*["'\[{]
      | \s*[\w.-]*(?:Error|Exception|Warning):
      | \s*\[?\d{4}-\d\d-\d\d
      | \s*[A-Z]{4,}\b[\s:\[]
    )""",
    re.VERBOSE,
)
_CODE_INSIDE = re.compile(r"[{}]|==|=>|->|\w\(\)|</|\w\([^()\s]*\);?\s*$|;\s*$|&&|\|\|")
_SPEAKER_LINE = re.compile(
    r"^\s*(?:[-*]\s*)?\[?(?!(?i:hi|hello|hey|note|fyi|ps|p\.s\.|update|edit|correction|context|"
    r"background|reminder|remember|important|about me|btw|preferences?|rules?|intro|also|"
    r"actually|one more thing|please note|for context|quick intro|quick note|heads up|"
    r"side note|info|instructions?)\b)"
    r"[^\W\d][\w.@-]{0,24}(?: [A-Z][\w.@-]{0,24}){0,2}\]?\s?:(?=\s|$)"
)
# Lines below it are the user's own, though they look like a dialogue.
OWN_LIST = re.compile(
    r"(?im)^[ \t#*]*(?:(?:a bit |some (?:facts|info|details) |facts |more )?about me|about myself|"
    r"my (?:profile|details|info|data|bio|basics)|who i am)\b[^\n]{0,30}$"
)
_MAIL_HEADER = re.compile(r"(?im)^(?:subject|from|to|cc|date|sent|betreff|von|objet|asunto):\s")
_BEGINS_MAIL = re.compile(r"(?i)\s*dear (?!assistant|claude|chatgpt|gpt|ai\b|bot|diary)\w+")

_ABOUT_ME = re.compile(
    r"(?i)\b(?:about me|myself|know|remember|notes?|context|background|intro\w*|facts?|"
    r"preferences?|rules|instructions|future|now on|correction|update)\b"
)
_SURELY_ME = re.compile(r"(?i)\b(?:about me|myself|know|remember|now on)\b")
_EDITS = re.compile(
    r"(?i)(?:trans|proof|re|para|summ|corr|fix|edit|impr|pol|check|short|crit|class|anal)\w*\b"
)
_PASTE = re.compile(
    r"""(?imx) \b(?:translate|proofread|rewrite|reword|rephrase|paraphrase|summari[sz]e|
        (?:correct|fix|edit|improve|polish|classify|analy[sz]e|continue|complete|review)
            \s(?:this|the|these|my)|
        übersetzen?|traduis|traduire|traduce|traducir|traduci|tradurre|traduza|traduzir|vertaal|
        vertalen|korrigieren?|corrige|corriges|corriger|corregir|correggi|correggere|corrija|corrigir|
        verbessere|verbeter|verbeteren
        )\b [^\n:]{0,120} (?::\s | \n | $)
      | \b(?:here(?:'s|\sis|\sare)|below\sis|this\sis|got\sthis|the\sfollowing|(?:he|she|they|\w+er)
            \s(?:wrote|said|sent|texted)(?:\sme)?)\b [^\n:.?!]{0,80} :(?=\s)
      | \b(?:says|said|reads|wrote|goes|texted):(?=\s)
      | ^[^\n]{1,200}:[ \t]*\n
      | \b(?:correct|fix|edit|improve|polish|check|shorten|critique)\b [^\n:.?!]{0,60} :\s
      | \b(?:bio|essay|paragraph|caption|tweet|letter|speech|cv|resume|sentence|(?<!long\s)story|poem|lyrics|draft|
            toast|vows|tagline|abstract|cover\sletter|email|e-mail)\b [^\n:.?!]{0,30} :\s
      | \b(?:write|draft|generate|compose|create|make\sup)\b [^\n:.?!]{0,80} :\s
      | (?<!always\s)(?<!never\s)\b(?:translate|how\s(?:do|would|can)\s(?:you|i|we)\ssay)\b
    """
)


def own_words(message: str, most: int = LOOKED_AT) -> str:
    """Return the message with all but the user's own talk masked, at the same offsets."""
    text = _page(message, most)
    if _BEGINS_MAIL.match(text):
        return ""
    text = _FENCE.sub(lambda found: "\n" * len(found[0]), text)
    text = _QUOTED_LINE.sub(lambda found: "\n" * len(found[0]), text)
    text = text[: _paste_begins(text)]
    listed = bool(OWN_LIST.search(text))
    text = "\n".join(_own_line(line, listed=listed) for line in text.split("\n"))
    text = _QUOTATION.sub(_quotation, text)
    text = _SMILEY.sub(lambda found: "!" + " " * (len(found[0]) - 1), text)
    text = _OPEN_QUOTATION.sub(lambda found: MASK * len(found[0]), text)
    return text.translate(_PLAIN)


_PLAIN = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u00b4": "'", "`": "'", "\xa0": " ", "\t": " "}
)


def _page(message: str, most: int) -> str:
    """The first page, without the sentence that its end would cut."""
    if len(message) <= most:
        return message
    page = message[:most]
    return page[: max(page.rfind("\n"), page.rfind(". ")) + 1]


def _paste_begins(text: str) -> int:
    header = _MAIL_HEADER.search(text)
    end = header.start() if header else len(text)
    for found in _PASTE.finditer(text, 0, end):
        # "Fix the tone of this and remember about me: …" goes on with the user's own words.
        about_me = _SURELY_ME if _EDITS.match(found[0]) else _ABOUT_ME
        if not (found[0].rstrip().endswith(":") and about_me.search(found[0])):
            return found.end()
    return end


def _own_line(line: str, *, listed: bool) -> str:
    foreign = _CODE_LINE.match(line) or _CODE_INSIDE.search(line)
    foreign = foreign or (not listed and _SPEAKER_LINE.match(line))
    return MASK * len(line) if foreign else line


def _quotation(found: re.Match[str]) -> str:
    inside = found[0][1:-1]
    # A quoted term is the user's own: call me "Al", I use `vim`.
    if len(inside) <= _LONGEST_TERM and not _SPEAKS.search(inside):
        return f" {inside} "
    return MASK * len(found[0])
