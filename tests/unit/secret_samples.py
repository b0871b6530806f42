"""Secrets and ordinary talk that looks like them.

The secrets are made at run time from pieces, so that nobody's scanner takes this file for a leak.
They have the right form and open nothing.
"""

import random
import string

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits


def chars(count: int, alphabet: str = ALNUM) -> str:
    """The same random characters at every run."""
    made = random.Random(count).choices(alphabet, k=count)
    return "".join(made[:-2]) + "a7"[: min(2, count)]


def block(kind: str, body: str) -> str:
    dashes = "-" * 5
    return f"{dashes}BEGIN {kind}{dashes}\n{body}\n{dashes}END {kind}{dashes}"


API_KEYS = [
    "sk" + "-" + chars(48),
    "sk" + "-proj-" + chars(64),
    "sk" + "-svcacct-" + chars(40),
    "sk" + "-ant-api03-" + chars(93),
    "sk" + "-or-v1-" + chars(64, HEX),
    "sk" + "-test-1234567890abcdef",
    "AK" + "IA" + chars(16, string.ascii_uppercase)[:-2] + "Q7",
    "AS" + "IA" + "Z2E4G6J7L3N5P7R2",
    "gh" + "p_" + chars(36),
    "gh" + "o_" + chars(36),
    "github" + "_pat_" + chars(22) + "_" + chars(59),
    "gl" + "pat-" + chars(20),
    "xo" + "xb-123456789012-1234567890123-" + chars(24),
    "xo" + "xp-1234567890-" + chars(20),
    "sk" + "_live_" + chars(24),
    "rk" + "_live_" + chars(24),
    "sk" + "_test_" + chars(24),
    "AI" + "za" + chars(35),
    "S" + "K" + chars(32, HEX)[:-2] + "a7",
    "S" + "G." + chars(22) + "." + chars(43),
    "np" + "m_" + chars(36),
    "h" + "f_" + chars(34),
    "gs" + "k_" + chars(52),
    "l" + "t_" + chars(32),
    "dop" + "_v1_" + chars(64, HEX),
    "py" + "pi-AgEIcHlwaS5vcmc" + chars(60),
    "123456789" + ":AA" + chars(33),
    "shp" + "at_" + chars(32, HEX),
]

NAMED = [
    ("my password is {}", "hunter2"),
    ("The wifi password is {}.", "sunshine"),
    ("the password was {}, but it changed", "Winter-2019"),
    ("my pw: {}", "letmein99"),
    ("Password: {}", "correct_horse9"),
    ("password = '{}'", "blue monkey"[:4] + "berry"),
    ('{{"user": "ada", "password": "{}"}}', "p4ssw0rt!"),
    ("DB_PASSWORD={}", "q8Zt!mm2"),
    ("PGPASSWORD={} psql", "q8Ztmm2"),
    ("password for netflix is {}", "Popcorn#12"),
    ("my password to the router is now {}", "admin4711"),
    ("I changed my password to {} today", "Tr0ub4dor&3"),
    ("reset the password for bob to '{}'", "swordfish"),
    ("{} is my password", "hunter2"),
    ("use {} as the password", "Gr33n-Tea"),
    ("the password {} works", "Sunny#2021"),
    ("passcode is {}", "482913"),
    ("mein Passwort ist {}", "Katze123"),
    ("mi contraseña es {}", "gato2020"),
    ("mon mot de passe est {}", "chat2020"),
    ("my passphrase is {}", "correct-horse-battery-staple"),
    ("passphrase: {}", "correct horse battery staple"),
    ("user: ada pass: {}", "hunter2"),
    ("login ada, pwd={}", "hunter2"),
    ("PIN is {}", "1234"),
    ("my pin: {}", "0815"),
    ("the PIN for the garage is {}", "7788"),
    ("my card PIN {}", "4821"),
    ("CVV {}", "123"),
    ("cvc: {}", "4321"),
    ("postgresql://ada:{}@db.example.com:5432/app", "hunter2"),
    ("redis://:{}@cache:6379/0", "hunter2"),
    ("mongodb+srv://ada:{}@cluster0.mongodb.net", "p%40ss"),
    ("https://ada:{}@example.com/repo.git", chars(20)),
    ("curl -u ada:{} https://example.com", "hunter2"),
    ("my api key is {}", "abc123def456"),
    ("API_KEY={}", chars(20)),
    ('"client_secret": "{}"', chars(24)),
    ("aws_secret_access_key = {}", chars(38) + "/" + "Q"),
    ("my wifi password is '{}'", "blue sky 77"),
    ('the password "{}" works', "hunter2"),
    ("my password's {}", "hunter2"),
    ("ATM pin {}", "4821"),
    ("the alarm code is {}", "4821"),
    ("aws secret {}", chars(38) + "/" + "Q"),
    ("secret: {}", chars(20, HEX)),
    ("Twilio auth token: {}", chars(32, HEX)),
]

TOKENS = [
    "eyJ" + chars(20) + ".eyJ" + chars(40) + "." + chars(43),
    "Authorization: Bearer " + chars(40),
    "https://hooks.slack.com/services/T" + chars(9) + "/B" + chars(9) + "/" + chars(24),
    block("RSA PRIVATE KEY", chars(64)),
    block("PRIVATE KEY", chars(64) + "\n" + chars(30)),
    block("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAA" + chars(40)),
    block("PGP PRIVATE KEY BLOCK", "Version: 1\n\n" + chars(60)),
    block("EC PRIVATE KEY", chars(60)).replace("\n", "\\n"),
    block("PRIVATE KEY", chars(64))[:70],
    "AGE-" + "SECRET-KEY-1" + chars(58, string.ascii_uppercase + string.digits).upper(),
    "my seed phrase is: witch collapse practice feed shame open despair creek road again ice least",
]

NUMBERS = [
    "4111 1111 1111 1111",
    "4111111111111111",
    "5500-0000-0000-0004",
    "2221 0000 0000 0009",
    "3782 822463 10005",
    "378282246310005",
    "6011 0000 0000 0004",
    "3056 930902 5904",
    "3530 1113 3330 0000",
    "4222222222222",
    "my card is 4111 1111 1111 1111 123",
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "fr14 2004 1010 0505 0001 3m02 606",
    "NL91-ABNA-0417-1643-00",
    "123-45-6789",
    "my SSN is 219099999",
    "social security number 219 09 9999",
    "AB 12 34 56 C",
    "AB123456C",
    "national insurance: QQ123456C",
    "12345678Z",
    "12.345.678-Z",
    "X1234567L",
    "RSSMRA85T10A562S",
    "86 095 742 719",
    "Steuer-ID: 86095742719",
    "2 69 05 49 588 157 80",
    "269054958815780",
    "529.982.247-25",
    "CPF 52998224725",
    "2341 2341 2346",
    "Aadhaar: 234123412346",
    "my SIN is 130 692 544",
    "passport number is X1234567",
]

POSITIVES = [*API_KEYS, *(form.format(value) for form, value in NAMED), *TOKENS, *NUMBERS]

PASSWORD_TALK = """
the password is wrong
the password is wrong.
What is my password?
password reset
I forgot my password
I forgot what my password is.
I don't know what my password is, sorry
My password is too long.
my password is gone
the password is pretty long now
The password is case-sensitive.
The password is required.
Password: required
Password: must be at least 8 characters
my password is 12 characters long
the password is 1000 characters long
The PIN is 4 digits.
my password is the same as before
my password is stored in 1Password
1Password is my password manager
password: ********
Password: ••••••••
password=<your password>
password: YOUR_PASSWORD
password=${DB_PASSWORD}
password: {{ password }}
password = os.environ["DB_PASSWORD"]
password = getpass()
password=settings.password
password: str
password: string
"password": null
def login(user, password): return None
if the password is correct, let them in
Is my password weak?
the password is hashed with bcrypt
password is sha256
the password SHA-256 hash
my new password is strong.
the password is not stored anywhere
change your password to something stronger
I changed my password to be safe
reset the password to continue
use OAuth2 as the password grant
password policy: everyone changes it yearly
The password is state-of-the-art.
my password is expired
his password is on a sticky note
Passwords are hard.
I checked the password's strength.
my password is my dog's name
Never use 123456 as your password.
the password is Ada's birthday
a passphrase is better than a password for most people here
the seed phrase is something you should write down and never share with anyone at all
my recovery phrase is in the safe
I planted a seed. The phrase is nice
postgres://user:password@localhost/db
postgres://postgres:postgres@localhost:5432/app
https://example.com:8080/@ada/posts
http://localhost:3000@ada
ssh://git@github.com/ada/repo.git
pin code: 560001
Connect pin 13 to ground
Pin the message to the top
spin: 4000
I bowled with 10 pins
the pin is bent
PIN: ****
My api key is missing
the API key is invalid
api_key = YOUR_API_KEY
api_key: "sk-xxxxxxxxxxxxxxxxxxxxxxxx"
OPENAI_API_KEY=sk-...
export API_KEY=$MY_KEY
The access token is expired.
the key is under the mat
the secret is practice
the bearer of bad news
Bearer authentication is simple
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
api key = config.api_key_v2
client secret: see 1Password
a sk-learn-introduction-to-machine-learning
sk-00000000000000000000000000000000
AKIAXXXXXXXXXXXXXXXX
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
lt_default_settings_of_the_tenant
eyJ is how a JWT begins
It starts with -----BEGIN PRIVATE KEY----- and ends so too.
-----BEGIN PUBLIC KEY-----
Mot de passe oublié ?
Mein Passwort ist falsch.
La contraseña es incorrecta.
""".strip().splitlines()

NUMBER_TALK = """
Order number 4111111111111111
order #4111 1111 1111 1111
tracking number 4012888888881881
4111 1111 1111 1112
1234 5678 9012 3456
0000 0000 0000 0000
9400 1000 0000 0000 0000 00
call me at +1 415 555 2671
my number is 415-555-2671
+49 170 1234567
0170 12345678
(020) 7946 0958
+33 6 12 34 56 78
550e8400-e29b-41d4-a716-446655440000
d41d8cd98f00b204e9800998ecf8427e
da39a3ee5e6b4b0d3255bfef95601890afd80709
commit 3f2a9c1
1700000000
1700000000000
1700000000000000
2024-05-03T12:30:45Z
2024-05-03 12:30:45.123456
03.05.2023
Python 3.11.7
version 1.2.3.4
192.168.100.200
ISBN 978-3-16-148410-0
9783161484100
4006381333931
4006381330060
2 69 05 49 588 157 81
52.520008, 13.404954
-33.8688197, 151.2092955
000-12-3456
666-12-3456
987-65-4321
123-00-4567
order 123-45-6789
part AB123456C
GB123456A
12345678A
X1234567A
RSSMRA85T10A562T
DE89 3704 0044 0532 0130 01
DE is for Germany
86 095 742 718
86095742719
123.456.789-00
111.111.111-11
52998224725
2341 2341 2347
234123412346
130 692 544
the sin 130 692 544
population 1 234 567 890
costs 1,234,567.89 dollars
flight LH 1234 at 10:45
IMEI 490154203237518
3.14159265358979323846
the year 1984 and 2001
room 1234, floor 56
10 000 000 000
2 + 2 = 4
1/2 cup of milk and 3 x 5
chapter 12, verse 34-56
""".strip().splitlines()

NEGATIVES = [*PASSWORD_TALK, *NUMBER_TALK]
