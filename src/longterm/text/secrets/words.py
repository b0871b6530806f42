"""Parts of patterns: what stands between the name of a secret and the secret.

Every part is bounded: a pattern that is made of them looks at a few dozen characters from each
name on, so that it takes time in proportion to the length of the text.
"""

BLANK = r"\s{0,8}"
BLANKS = r"\s{1,8}"

# "password for the router", "contraseña del correo", "code de l'alarme": up to a few words.
FOR = (
    rf"(?:{BLANKS}(?:(?:for|to|of|on|at|für|fürs|beim|von|vom|zu|zum|zur|der|des|meine[rs]|unsere[rs]|auf"
    r"|pour|du|de|des|sur|para|del|della|dello|dei|di|per|do|da|dos|das|no|na)\s"
    r"|d['\u2019]|dell['\u2019])[^.?!:;=\n]{1,40}?)?"
)

IS = (
    rf"(?:[\"'`]?{BLANK}(?:=>|->|:=|==?|:){BLANK}"
    rf"|{BLANKS}(?:is|was|ist|war|lautet|est|es|è|é|era|will\s{{1,3}}be|c['\u2019]est)"
    rf"(?:{BLANKS}(?:now|just|still|simply|currently|jetzt|also|le|el|il|o))?{BLANK}[:=]?{BLANKS})"
)
