"""Checks the golden records with code that is none of Grove's: `python3 check.py v1/*.json`.

The envelope and the checksum follow Docs/RecordFormat.md; the body is decoded by cbor2 and encoded again as canonical
CBOR (RFC 7049 §3.9, which for maps of names is the order of RFC 8949 §4.2.1). Exits with 77 where cbor2 is missing.
"""
import json
import sys

try:
    import cbor2
except ImportError:
    print("cbor2 is not installed")
    sys.exit(77)

MASK = (1 << 64) - 1
A, B, C = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B


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


def table(data, count):
    """The table of projections over a body of `count` fields: name, sequence and fields of each."""
    rows, offset, width = [], 1, (count + 7) // 8
    for _ in range(data[0]):
        end = offset + 1 + data[offset]
        name, bitmap = data[offset + 1:end].decode(), word(data, end + 8, width)
        rows.append({"name": name, "sequence": word(data, end, 8), "fields": [i for i in range(count) if bitmap >> i & 1]})
        offset = end + 8 + width
    assert offset == len(data), "table of projections"
    return rows


def check(path):
    golden = json.load(open(path, encoding="utf-8"))
    key, record = bytes.fromhex(golden["key"]), bytes.fromhex(golden["record"])
    start = word(record, 2, 2)
    body = record[start:]
    seed = hash64(key, word(record, 0, 4) * 0x9E3779B97F4A7C15 & MASK)
    assert record[0] == 1, "format version"
    assert word(record, 4, 8) == hash64(record[12:], seed), "checksum"
    assert word(record, 12, 8) == golden["sequence"], "sequence"
    assert record[21:21 + record[20]].decode() == golden["recordName"], "record name"
    fields = cbor2.loads(body)
    assert isinstance(fields, dict), "body"
    names_end = 22 + record[20] + record[21 + record[20]]
    if record[1] & 0x10:
        assert table(record[names_end:start], len(fields)) == golden["projections"], "projections"
    else:
        assert names_end == start, "envelope"
    # Values under standard tags come back as other tags or widths from cbor2; what remains must be the same bytes.
    names = [cbor2.dumps(name) for name in fields]
    assert names == sorted(names), "order of names"
    plain = {n: v for n, v in fields.items() if isinstance(v, (str, int, float, bytes, bool, type(None)))}
    for name, value in plain.items():
        field = cbor2.dumps(name) + cbor2.dumps(value, canonical=True)
        assert field in body, f"{name} is not encoded canonically"
    return len(plain), len(fields)


for path in sys.argv[1:]:
    plain, count = check(path)
    print(f"{path}: {count} fields, {plain} of them encoded again")
