"""Check digits: what tells a number that means something from one that does not."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"

# Values of characters in odd places, 0-9 then A-Z: decree 23/12/1976, which made the code.
_FISCAL_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_FISCAL_LETTERS = (
    *_FISCAL_DIGITS,
    *(2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
)

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# The dihedral group of a pentagon, and the permutation that Verhoeff chose for it.
_DIHEDRAL = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_PERMUTATION = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Cards, Canadian social insurance numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def verhoeff(digits: str) -> bool:
    """Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = int(_DIHEDRAL[check][_permuted(int(digit), place % 8)])
    return check == 0


def _permuted(digit: int, times: int) -> int:
    for _ in range(times):
        digit = _PERMUTATION[digit]
    return digit


def ean13(digits: str) -> bool:
    """The bar code of a product, ISBNs included."""
    return _weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def iban(value: str) -> bool:
    """ISO 13616: letters are numbers from 10, the first four characters go last."""
    return int("".join(str(int(character, 36)) for character in value[4:] + value[:4])) % 97 == 1


def social_security(value: str) -> bool:
    """The areas, groups and serials that the United States never gave out."""
    area, group, serial = value[:3], value[3:5], value[5:]
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def national_insurance(value: str) -> bool:
    """The prefixes that the United Kingdom does not use."""
    return value[:2] not in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}


def dni(value: str) -> bool:
    """Spain: the letter follows from the number; X, Y, Z stand for 0, 1, 2 in a foreigner's."""
    number = int(value[:-1].translate(str.maketrans("XYZ", "012")))
    return value[-1] == _DNI_LETTERS[number % 23]


def codice_fiscale(value: str) -> bool:
    """Italy: the sixteenth letter follows from the other fifteen."""
    total = 0
    for place, character in enumerate(value[:15], start=1):
        total += _fiscal_value(character, is_odd=place % 2 == 1)
    return value[15] == chr(ord("A") + total % 26)


def _fiscal_value(character: str, *, is_odd: bool) -> int:
    if character.isdigit():
        return _FISCAL_DIGITS[int(character)] if is_odd else int(character)
    place = ord(character) - ord("A")
    return _FISCAL_LETTERS[place] if is_odd else place


def steuer_id(digits: str) -> bool:
    """Germany: one digit of ten occurs two or three times, and ISO 7064 (mod 11, 10) holds."""
    counts = sorted((digits[:10].count(digit) for digit in set(digits[:10])), reverse=True)
    if counts[0] not in {2, 3} or any(count > 1 for count in counts[1:]):
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def nir(value: str) -> bool:
    """France: a key of two digits; Corsica's letters stand for 19 and 18."""
    number = int(value[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(value[13:])


def cpf(digits: str) -> bool:
    """Brazil: two check digits; eleven equal digits pass them, but are nobody's."""
    if len(set(digits)) == 1:
        return False
    first = _weighted(digits[:9], range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(digits[:10], range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def base58(value: str) -> bool:
    """Bitcoin: the last four bytes are the beginning of a hash of the others."""
    number = 0
    for character in value:
        number = number * 58 + _BASE58.index(character)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_run(digits: str) -> bool:
    """123456789, 987654321, 111111111: typed by a finger that slid, not given out."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(digits)}
    return len(steps) == 1


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
