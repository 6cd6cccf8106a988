"""Checks the golden records with code that is none of Grove's: `python3 check.py v1/*.json`.

The envelope and the checksum follow Docs/Internals/RecordFormat.md. What each body holds is stated in values.json, as
values: a decoder and an encoder of deterministic CBOR (RFC 8949 §4.2.1), written here, and cbor2 must agree with that,
to the order of every map, the width of every float and the last byte. Exits with 77 where cbor2 is missing.

Values are written as in JSON, integers being integers; whatever JSON has not is an object of one member:

    {"fields": {name: value, ...}}  {"map": [[key, value], ...]}  maps, in their order
    {"float": "1.5"}  {"data": "00ff"}  {"decimal": "-1.5"}  {"uuid": "..."}  {"url": "..."}
    {"date": 10}  {"date": "10.5"}  seconds since 1970        {"since2001": "0.1"}  seconds since 2001
    {"reference": "Person:1"}  {"reference": ["Person:1", "case"]}
"""
import datetime
import decimal
import json
import os
import struct
import sys
import uuid

try:
    import cbor2
except ImportError:
    print("cbor2 is not installed")
    sys.exit(77)

# Decimals have up to 38 digits, and Python would round them to 28.
decimal.getcontext().prec = 100

MASK = (1 << 64) - 1
A, B, C = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B
REFERENCE, SINCE_2001 = 59214, 59215
TOMBSTONE, REFERENCES, DELETION, PROJECTIONS, SHAPE, RUNS, CHUNKS = 0x01, 0x02, 0x04, 0x10, 0x20, 0x40, 0x80


def require(condition, what):
    if not condition:
        raise ValueError(what)


def fold(left, right):
    product = left * right
    return (product >> 64) ^ (product & MASK)


def word(data, offset, width):
    return int.from_bytes(data[offset:offset + width], "little")


def hash64(data, seed):
    count, state, first, last = len(data), seed ^ A, 0, 0
    if count >= 17:
        offset = 0
        if count > 32:
            other = state ^ C
            while count - offset > 32:
                state = fold(word(data, offset, 8) ^ B, word(data, offset + 8, 8) ^ state)
                other = fold(word(data, offset + 16, 8) ^ C, word(data, offset + 24, 8) ^ other)
                offset += 32
            state ^= other
        if count - offset > 16:
            state = fold(word(data, offset, 8) ^ B, word(data, offset + 8, 8) ^ state)
        first, last = word(data, count - 16, 8), word(data, count - 8, 8)
    elif count >= 4:
        middle = (count >> 3) << 2
        first = word(data, 0, 4) << 32 | word(data, middle, 4)
        last = word(data, count - 4, 4) << 32 | word(data, count - 4 - middle, 4)
    elif count > 0:
        first = data[0] << 16 | data[count >> 1] << 8 | data[count - 1]
    return fold(B ^ count, fold(first ^ B, last ^ state))


# What CBOR holds and Python has no type for.


class Float:
    def __init__(self, bits):
        self.bits = bits

    def __eq__(self, other):
        return isinstance(other, Float) and self.bits == other.bits

    def __repr__(self):
        return f"float {self.bits:016x}"


class Map:
    def __init__(self, pairs):
        self.pairs = pairs

    def __eq__(self, other):
        return isinstance(other, Map) and same(self.pairs, other.pairs)

    def __repr__(self):
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self.pairs) + "}"


class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value

    def __eq__(self, other):
        return isinstance(other, Tag) and self.number == other.number and same(self.value, other.value)

    def __repr__(self):
        return f"{self.number}({self.value!r})"


def same(left, right):
    """Whether the two are equal and of one type, so that neither 1, 1.0 and True nor 0.0 and -0.0 are the same."""
    # An array inside a tag is a list to cbor2 5, and a tuple to cbor2 6.
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))
    if isinstance(left, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    if isinstance(left, cbor2.CBORTag):
        return left.tag == right.tag and same(left.value, right.value)
    return left == right


def double(bits):
    return struct.unpack(">d", bits.to_bytes(8, "big"))[0]


def bits_of(value):
    return int.from_bytes(struct.pack(">d", value), "big")


# Encoding


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for low, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument >> (8 * width) == 0:
            return bytes([major << 5 | low]) + argument.to_bytes(width, "big")
    raise ValueError("a head of more than 64 bits")


def encode_float(value):
    for initial, form in ((0xF9, ">e"), (0xFA, ">f")):
        try:
            packed = struct.pack(form, double(value.bits))
        except OverflowError:
            continue
        if bits_of(struct.unpack(form, packed)[0]) == value.bits:
            return bytes([initial]) + packed
    return b"\xfb" + value.bits.to_bytes(8, "big")


def encode(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, Float):
        return encode_float(value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, Map):
        entries = sorted((encode(key), encode(held)) for key, held in value.pairs)
        return head(5, len(entries)) + b"".join(key + held for key, held in entries)
    return head(6, value.number) + encode(value.value)


# Decoding


class Decoder:
    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        require(self.offset + count <= len(self.data), "the body ends inside a value")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def decode(self):
        initial = self.take(1)[0]
        major, low = initial >> 5, initial & 31
        require(low < 28, "a reserved head, or one of indefinite length")
        argument = low if low < 24 else int.from_bytes(self.take(1 << (low - 24)), "big")
        if major == 7:
            return self.simple(low, argument)
        require(low < 24 or head(major, argument)[0] == initial, "a head that could be shorter")
        if major == 0:
            return argument
        if major == 1:
            return -1 - argument
        if major == 2:
            return self.take(argument)
        if major == 3:
            return self.take(argument).decode()
        if major == 4:
            return [self.decode() for _ in range(argument)]
        if major == 6:
            return Tag(argument, self.decode())
        pairs, last = [], b""
        for _ in range(argument):
            start = self.offset
            key = self.decode()
            encoded = self.data[start:self.offset]
            require(encoded > last, f"a map's keys do not ascend at {key!r}")
            last = encoded
            pairs.append((key, self.decode()))
        return Map(pairs)

    def simple(self, low, argument):
        if low in (20, 21):
            return low == 21
        if low == 22:
            return None
        form = {25: ">e", 26: ">f", 27: ">d"}.get(low)
        require(form is not None, f"a simple value {low}")
        value = Float(bits_of(struct.unpack(form, argument.to_bytes(1 << (low - 24), "big"))[0]))
        require(encode_float(value)[0] == 0xE0 | low, "a float that could be shorter")
        return value


# Values as they are stated


def number(text):
    return Float(0x7FF8000000000000 if text == "NaN" else bits_of(float(text)))


def integer(value):
    """An integer, as a big one where it has more than 64 bits."""
    magnitude = value if value >= 0 else -1 - value
    if magnitude <= MASK:
        return value
    return Tag(2 if value >= 0 else 3, magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "big"))


def fraction(text):
    sign, digits, exponent = decimal.Decimal(text).as_tuple()
    mantissa = int("".join(map(str, digits)))
    if mantissa == 0:
        return Tag(4, [0, 0])
    while mantissa % 10 == 0:
        mantissa, exponent = mantissa // 10, exponent + 1
    return Tag(4, [exponent, integer(-mantissa if sign else mantissa)])


def stated(value):
    """What CBOR holds for a value of values.json."""
    if isinstance(value, list):
        return list(map(stated, value))
    require(not isinstance(value, float), "a float is stated as {\"float\": text}")
    if not isinstance(value, dict):
        return value
    (kind, held), = value.items()
    if kind == "fields":
        return Map([(name, stated(field)) for name, field in held.items()])
    if kind == "map":
        return Map([(stated(key), stated(entry)) for key, entry in held])
    if kind == "date":
        return Tag(1, held if isinstance(held, int) else number(held))
    convert = {
        "float": number, "data": bytes.fromhex, "decimal": fraction, "uuid": lambda text: Tag(37, uuid.UUID(text).bytes),
        "url": lambda text: Tag(32, text), "since2001": lambda text: Tag(SINCE_2001, number(text)),
        "reference": lambda name: Tag(REFERENCE, name),
    }
    return convert[kind](held)


def python(value):
    """What cbor2 makes of a value of values.json."""
    if isinstance(value, list):
        return list(map(python, value))
    if not isinstance(value, dict):
        return value
    (kind, held), = value.items()
    if kind == "fields":
        return {name: python(field) for name, field in held.items()}
    if kind == "map":
        return {python(key): python(entry) for key, entry in held}
    convert = {
        "float": float, "data": bytes.fromhex, "decimal": decimal.Decimal, "uuid": uuid.UUID,
        "url": lambda text: cbor2.CBORTag(32, text), "since2001": lambda text: cbor2.CBORTag(SINCE_2001, float(text)),
        "date": lambda seconds: datetime.datetime.fromtimestamp(float(seconds), datetime.timezone.utc),
        "reference": lambda name: cbor2.CBORTag(REFERENCE, name),
    }
    return convert[kind](held)


def holds_references(value):
    if isinstance(value, list):
        return any(map(holds_references, value))
    if not isinstance(value, dict):
        return False
    (kind, held), = value.items()
    if kind == "fields":
        return any(map(holds_references, held.values()))
    return kind == "reference" or kind == "map" and holds_references(held)


# Records


def name_at(data, offset):
    end = offset + 1 + data[offset]
    return data[offset + 1:end].decode(), end


def number_at(data, offset):
    """Seven bits of each byte, the low ones first; all bytes but the last have their top bit set."""
    value, shift = 0, 0
    while True:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            require(byte > 0 or shift == 0, "a number that could be shorter")
            require(value <= MASK, "a number of more than 64 bits")
            return value, offset
        shift += 7


def table(data, count):
    """The table of projections over a body of `count` fields: name, sequence, time and fields of each."""
    rows, offset, width = [], 2, (count + 7) // 8
    require(data[1] in (1, 2), "bitmaps of a projection")

    def fields(start):
        bitmap = word(data, start, width)
        return [i for i in range(count) if bitmap >> i & 1]

    for _ in range(data[0]):
        name, offset = name_at(data, offset)
        sequence, offset = number_at(data, offset)
        row = {"name": name, "sequence": sequence, "time": word(data, offset, 4), "fields": fields(offset + 4)}
        offset += 4 + width
        if data[1] == 2:
            row["replaced"] = fields(offset)
            offset += width
        rows.append(row)
    require(offset == len(data), "table of projections")
    return rows


def runs_of(data, sequence):
    """The table of runs: how many elements, and the number of the call that put them there."""
    runs, offset = [], 0
    while offset < len(data):
        number, end = number_at(data, offset + 1)
        runs.append([data[offset], number])
        offset = end
    require(all(count > 0 for count, _ in runs), "table of runs")
    require(any(number != sequence for _, number in runs), "a table of runs that says nothing")
    return runs


def check_collection(golden, key, got):
    """What only collections and their chunks have."""
    if golden.get("chunks"):
        _, count, chunks = got
        numbers = [chunks[start:start + 4] for start in range(0, len(chunks), 5)]
        require(len(chunks) % 5 == 0 and len(set(numbers)) == len(numbers), "the chunks' numbers")
        require(sum(chunks[4::5]) == count, "the chunks' elements")
        require(all(0 < held <= 128 for held in chunks[4::5]), "a chunk has 1 to 128 elements")
    elif key[0] in (2, 7):
        require(isinstance(got, list) and len(got) <= 128, "a record has at most 128 elements")
        runs = golden.get("runs")
        require(not runs or sum(count for count, _ in runs) == len(got), "the runs' elements")


def check_sum(key, record):
    seed = hash64(key, word(record, 0, 2) * 0x9E3779B97F4A7C15 & MASK)
    require(word(record, 2, 8) == hash64(record[10:], seed), "checksum")


def shape_of(golden):
    """The record name, the projection and the names of the fields that a shape's record holds."""
    key, record = bytes.fromhex(golden["key"]), bytes.fromhex(golden["record"])
    check_sum(key, record)
    require(record[:2] == b"\x01\x00" and record[10:15] == bytes(5), "a shape's envelope")
    require(key == b"\x06" + hash64(record[15:], 0).to_bytes(8, "little"), "a shape's key")
    texts = Decoder(record[15:]).decode()
    require(isinstance(texts, list) and all(isinstance(text, str) for text in texts), "a shape is texts")
    require(encode(texts) == record[15:], "a shape's encoding")
    return texts[0], texts[1], texts[2:]


def named(values, names):
    """The map of the fields whose values follow each other in `values`."""
    decoder, body = Decoder(values), head(5, len(names))
    for name in names:
        start = decoder.offset
        decoder.decode()
        body += encode(name) + values[start:decoder.offset]
    require(decoder.offset == len(values), "more values than names")
    return body


def check_body(body, expected):
    want = stated(expected)
    decoder = Decoder(body)
    got = decoder.decode()
    require(decoder.offset == len(body), "the body goes on behind its value")
    require(same(got, want), f"the body holds {got!r}, stated is {want!r}")
    require(encode(want) == body, "the stated values encode to other bytes")
    loaded, wanted = cbor2.loads(body), python(expected)
    require(same(loaded, wanted), f"cbor2 reads {loaded!r}, stated is {wanted!r}")
    return got


def check(path, values):
    with open(path, encoding="utf-8") as file:
        golden = json.load(file)
    key, record = bytes.fromhex(golden["key"]), bytes.fromhex(golden["record"])
    is_tombstone, expected = golden.get("tombstone", False), values.get(golden["name"])
    require(is_tombstone == (expected is None), "values.json states what every record but a tombstone holds")
    rows = golden.get("projections", [])
    require(key[0] in (1, 2, 3) and len(key) > 1 or key[0] == 7 and len(key) == 13, "key")
    require(record[0] == 1, "format version")
    flags = (
        (TOMBSTONE if is_tombstone else 0) | (REFERENCES if holds_references(expected) else 0)
        | (DELETION if "deletion" in golden else 0) | (PROJECTIONS if rows else 0) | (SHAPE if "shape" in golden else 0)
        | (RUNS if "runs" in golden else 0) | (CHUNKS if golden.get("chunks") else 0))
    require(record[1] == flags, "flags")
    check_sum(key, record)
    sequence, offset = number_at(record, 10)
    require(sequence == golden["sequence"], "sequence")
    require(word(record, offset, 4) == golden["time"], "time")
    offset += 4
    if "deletion" in golden:
        deletion, offset = number_at(record, offset)
        require(deletion == golden["deletion"], "deletion")
    record_name, projection, names = "", "", None
    if "shape" in golden:
        require(key[0] == 1 and not is_tombstone and not rows, "a record that has a shape")
        record_name, projection, names = shape_of(golden["shape"])
        require(record[offset:offset + 8] == bytes.fromhex(golden["shape"]["key"])[1:], "the shape's hash")
        offset += 8
    elif key[0] == 1 and not is_tombstone:
        record_name, offset = name_at(record, offset)
        projection, offset = name_at(record, offset)
    require(record_name == golden["recordName"], "record name")
    require((projection or record_name) == golden["projectionName"], "projection")
    held = b""
    if rows or "runs" in golden:
        count, offset = number_at(record, offset)
        held, offset = record[offset:offset + count], offset + count
    body = record[offset:] if names is None else named(record[offset:], names)
    if is_tombstone:
        require(not body, "a tombstone has no body")
        return 0
    fields = check_body(body, expected)
    count = len(fields.pairs) if isinstance(fields, Map) else 1
    require(isinstance(fields, Map) or key[0] != 1, "a node's body is a map")
    check_collection(golden, key, fields)
    if "runs" in golden:
        require(runs_of(held, golden["sequence"]) == golden["runs"], "runs")
    elif rows:
        require(table(held, count) == rows, "projections")
    return len(body)


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "values.json"), encoding="utf-8") as file:
    VALUES = json.load(file)
wrong = 0
for argument in sys.argv[1:]:
    try:
        print(f"{argument}: {check(argument, VALUES)} bytes of body")
    except (ValueError, KeyError, TypeError, IndexError) as error:
        print(f"{argument}: {error}")
        wrong += 1
sys.exit(1 if wrong else 0)
