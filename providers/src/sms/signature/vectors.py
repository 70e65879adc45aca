"""Writes vectors.json: requests signed by Twilio's own Python package, and that package's verdict on each of them.

    pip install twilio==9.13.0 && python vectors.py > vectors.json

`accepted` is what RequestValidator.validate says (for several secrets: whether one of them passes). Where the package
ends in an exception instead of a verdict, the request is not accepted.
"""

import base64
import hashlib
import json
import sys
from importlib.metadata import version

from twilio.request_validator import HMAC_SHA1, HMAC_SHA256, RequestValidator, get_signature_algorithm

TOKEN = "8f3b1c0de5a94d7f9b2e6a7c1d0e4f53"
OLD_TOKEN = "00112233445566778899aabbccddeeff"
SHARED_SECRET = "sk_Zm9vYmFyLXNoYXJlZC1rZXk_\u00e9"
KEY = "webhooks_sharedkey_01k5xr7m2cf8t9v3d6w4n1p0qz"
SHA256_SETTINGS = f"key={KEY},algorithm=HMAC_SHA256"
SMS = "https://toolbox.example.com/webhooks/twilio/sms"


class Fields:
    """The posted fields with the interface of the web frameworks' multi-dictionaries."""

    def __init__(self, pairs):
        self.pairs = pairs

    def __iter__(self):
        return iter(name for name, _ in self.pairs)

    def __len__(self):
        return len(self.pairs)

    def getall(self, name):
        return [v for n, v in self.pairs if n == name]


TEXT = [
    ("ToCountry", "US"), ("ToState", "TX"), ("SmsMessageSid", "SM0123456789abcdef0123456789abcdef"), ("NumMedia", "0"),
    ("ToCity", "AUSTIN"), ("FromZip", "78701"), ("SmsSid", "SM0123456789abcdef0123456789abcdef"), ("FromState", "TX"),
    ("SmsStatus", "received"), ("FromCity", ""), ("Body", "Can you come today?"), ("FromCountry", "US"),
    ("To", "+15125550100"), ("ToZip", "78701"), ("NumSegments", "1"),
    ("MessageSid", "SM0123456789abcdef0123456789abcdef"), ("AccountSid", "AC0123456789abcdef0123456789abcdef"),
    ("From", "+15125550142"), ("ApiVersion", "2010-04-01"),
]
DOCUMENTED = [("CallSid", "CA1234567890ABCDE"), ("Caller", "+14158675310"), ("Digits", "1234"),
              ("From", "+14158675310"), ("To", "+18005551212")]
STATUS = [("SmsSid", "SM1"), ("SmsStatus", "delivered"), ("MessageStatus", "delivered"), ("To", "+15125550142"),
          ("MessageSid", "SM1"), ("AccountSid", "AC1"), ("From", "+15125550100"), ("ApiVersion", "2010-04-01")]


def with_body(text):
    return [(n, text if n == "Body" else v) for n, v in TEXT]


def sign(url, params, secret=TOKEN, algorithm=HMAC_SHA1):
    return RequestValidator(secret).compute_signature(url, params, algorithm)


def verdict(vector):
    body = vector["body"]
    params = body if body and not vector["fields"] else Fields(vector["fields"])
    algorithm = get_signature_algorithm(vector["settings"])
    for token in vector["tokens"]:
        try:
            if RequestValidator(token).validate(vector["url"], params, vector["signature"], algorithm):
                return True
        except (TypeError, AttributeError, KeyError):
            pass
    return False


VECTORS = []


def add(name, url=SMS, fields=(), body="", signature=None, settings=None, tokens=(TOKEN,), expected=True):
    vector = {"name": name, "url": url, "fields": [list(f) for f in fields], "body": body, "signature": signature,
              "settings": settings, "tokens": list(tokens)}
    vector["accepted"] = verdict(vector) if signature is not None else False
    assert vector["accepted"] == expected, f"{name}: the package says {vector['accepted']}"
    VECTORS.append(vector)


def good(name, url=SMS, fields=TEXT, schemes=(HMAC_SHA1, HMAC_SHA256), sent=None, signed=None):
    """`sent` are the fields as received, where they stand in another order; `signed` the address Twilio signed."""
    for scheme in schemes:
        secret, settings = (TOKEN, None) if scheme == HMAC_SHA1 else (SHARED_SECRET, SHA256_SETTINGS)
        add(f"{name}, {scheme}", url, sent or fields, signature=sign(signed or url, Fields(fields), secret, scheme),
            settings=settings, tokens=(secret,))


def bad(name, url=SMS, fields=TEXT, signature=None, settings=None, tokens=(TOKEN,), body=""):
    add(name, url, fields, body, signature, settings, tokens, expected=False)


def sound_forms():
    good("the documentation's example", "https://example.com/myapp.php?foo=1&bar=2", DOCUMENTED)
    good("an ordinary text")
    good("fields in another order", sent=list(reversed(TEXT)))
    good("no fields at all", fields=[])
    good("an empty body of a text", fields=with_body(""))
    good("letters of other scripts", fields=with_body("Zażółć gęślą jaźń, ¿mañana? 明日 कल"))
    good("pictures made of several characters", fields=with_body("👩‍👩‍👧‍👦 🚿 👍🏽"))
    good("a composed and a decomposed letter", fields=with_body("\u00e9 e\u0301"))
    good("lines and tabs", fields=with_body("first\r\nsecond\n\tthird"))
    good("marks that forms encode", fields=with_body("a+b=c & 100% #1 ?yes;no"))
    good("spaces at both ends", fields=with_body("  stop  "))
    good("a zero byte", fields=with_body("a\0b"))
    good("a long text", fields=with_body("leak " * 320))
    good("names in upper and lower case", fields=[("b", "1"), ("B", "2"), ("a", "3"), ("A", "4"), ("_", "5")])
    good("names beyond ASCII, by code point", fields=[("\U0001f6bf", "1"), ("\uff21", "2"), ("é", "3"), ("z", "4")])
    good("a name that begins another", fields=[("To", "1"), ("ToCity", "2"), ("T", "3")])
    good("a field nobody knows", fields=TEXT + [("BrandNewParameter", "x")])
    good("an unknown field without a value", fields=TEXT + [("Empty", "")])
    good("a repeated name with other values", fields=TEXT + [("Tag", "b"), ("Tag", "a"), ("Tag", "c")])
    good("a field given twice is signed once", fields=TEXT, sent=TEXT + [("To", "+15125550100")])
    good("a picture message", fields=TEXT + [
        ("MediaContentType0", "image/jpeg"),
        ("MediaUrl0", "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1")])
    good("a form with a digest in its address, which is not asked", SMS + "?bodySHA256=" + "0" * 64)
    good("a report about a text", SMS.replace("sms", "message-status") + "/0198c0de-0000-7000-8000-000000000001", STATUS)


def sound_addresses():
    https, http = "https://toolbox.example.com", "http://toolbox.example.com"
    path = "/webhooks/twilio/voice"
    good("https, signed with its port", https + path, DOCUMENTED, signed=https + ":443" + path)
    good("https, configured with its port", https + ":443" + path, DOCUMENTED, signed=https + path)
    good("http, signed with its port", http + path, DOCUMENTED, signed=http + ":80" + path)
    good("http, configured with its port", http + ":80" + path, DOCUMENTED, signed=http + path)
    good("another port, signed with it", https + ":8443" + path, DOCUMENTED)
    good("another port, signed without it", https + ":8443" + path, DOCUMENTED, signed=https + path)
    good("a slash at the end", https + path + "/", DOCUMENTED)
    good("only a host", https, DOCUMENTED)
    good("a query kept encoded", https + path + "?next=%2Fa%20b&name=%C3%A9%26x", DOCUMENTED)
    good("a query with a plus", https + path + "?who=a+b", DOCUMENTED)
    good("a query with an empty value", https + path + "?a=&b", DOCUMENTED)
    good("a query with repeats out of order", https + path + "?b=2&a=1&b=1", DOCUMENTED)
    good("a query with small hexadecimals", https + path + "?a=%c3%a9", DOCUMENTED)
    good("a query and a port", https + path + "?a=1:2", DOCUMENTED, signed=https + ":443" + path + "?a=1:2")
    good("a path kept encoded", https + "/webhooks/twilio/voice%2Faccept/%7Ex", DOCUMENTED)
    good("an empty query is no query", https + path + "?", DOCUMENTED, signed=https + path)
    good("a password for the bypass of a proxy", "https://user@toolbox.example.com" + path, DOCUMENTED)


def sound_bodies():
    for name, body in (("JSON", '{"a": 1, "b": "é"}'), ("an empty object", "{}"), ("long JSON", '{"a": "' + "x" * 5000 + '"}')):
        digest = hashlib.sha256(body.encode()).hexdigest()
        for url in (f"{SMS}?bodySHA256={digest}", f"{SMS}?a=1&bodySHA256={digest}&b=%20"):
            for scheme in (HMAC_SHA1, HMAC_SHA256):
                settings = None if scheme == HMAC_SHA1 else SHA256_SETTINGS
                add(f"{name}, {scheme}, {'alone' if 'a=1' not in url else 'among others'}", url, body=body,
                    signature=sign(url, {}, TOKEN, scheme), settings=settings)


def sound_schemes():
    sha256 = sign(SMS, Fields(TEXT), SHARED_SECRET, HMAC_SHA256)
    for settings in (f"key={KEY}, algorithm=HMAC_SHA256", f"algorithm=HMAC_SHA256,key={KEY}", "algorithm=hmac_sha256",
                     " algorithm = HMAC_SHA256 ", "algorithm=,algorithm=HMAC_SHA256", f"key={KEY},algorithm=HMAC_SHA256,v=2"):
        add(f"settings written {settings!r}", fields=TEXT, signature=sha256, settings=settings, tokens=(SHARED_SECRET,))
    sha1 = sign(SMS, Fields(TEXT))
    for settings in ("", f"key={KEY}", "algorithm=", "algorithm=HMAC_SHA1", "Algorithm=HMAC_SHA256"):
        add(f"settings written {settings!r} mean SHA-1", fields=TEXT, signature=sha1, settings=settings)
    add("the second of two secrets", fields=TEXT, signature=sha1, tokens=(OLD_TOKEN, TOKEN))
    add("the first of two secrets", fields=TEXT, signature=sha1, tokens=(TOKEN, OLD_TOKEN))
    add("a shared key beside the token", fields=TEXT, signature=sha256, settings=SHA256_SETTINGS, tokens=(TOKEN, SHARED_SECRET))


def changed_forms():
    for scheme, secret, settings in ((HMAC_SHA1, TOKEN, None), (HMAC_SHA256, SHARED_SECRET, SHA256_SETTINGS)):
        signed = sign(SMS, Fields(TEXT), secret, scheme)
        near = {"signature": signed, "settings": settings, "tokens": (secret,)}
        bad(f"one letter changed, {scheme}", fields=with_body("Can you come todaY?"), **near)
        bad(f"a field added, {scheme}", fields=TEXT + [("Extra", "1")], **near)
        bad(f"an empty field added, {scheme}", fields=TEXT + [("Extra", "")], **near)
        bad(f"a field removed, {scheme}", fields=TEXT[1:], **near)
        bad(f"a field removed that was empty, {scheme}", fields=[f for f in TEXT if f[0] != "FromCity"], **near)
        bad(f"a name repeated with another value, {scheme}", fields=TEXT + [("From", "+15125559999")], **near)
        bad(f"a name in another case, {scheme}", fields=[("to" if n == "To" else n, v) for n, v in TEXT], **near)
        bad(f"two values exchanged, {scheme}", fields=[(n, {"To": "+15125550142", "From": "+15125550100"}.get(n, v)) for n, v in TEXT], **near)
        bad(f"no fields, {scheme}", fields=[], **near)
        bad(f"another path, {scheme}", SMS + "/x", **near)
        bad(f"a slash added, {scheme}", SMS + "/", **near)
        bad(f"a query added, {scheme}", SMS + "?a=1", **near)
        bad(f"another host, {scheme}", SMS.replace("toolbox", "toolb0x"), **near)
        bad(f"http for https, {scheme}", SMS.replace("https", "http"), **near)
        bad(f"a path in another case, {scheme}", SMS.replace("sms", "SMS"), **near)
    encoded = "https://toolbox.example.com/webhooks/twilio/voice?next=%2Fa%20b"
    bad("a query decoded", encoded.replace("%2F", "/"), DOCUMENTED, sign(encoded, Fields(DOCUMENTED)))
    bad("a space written as a plus", encoded.replace("%20", "+"), DOCUMENTED, sign(encoded, Fields(DOCUMENTED)))
    bad("hexadecimals in another case", encoded.replace("%2F", "%2f"), DOCUMENTED, sign(encoded, Fields(DOCUMENTED)))
    other = "https://toolbox.example.com:8443/webhooks/twilio/voice"
    bad("signed with a port of its own", other.replace(":8443", ""), DOCUMENTED, sign(other, Fields(DOCUMENTED)))
    bad("the port of the other scheme", other.replace(":8443", ""), DOCUMENTED, sign(other.replace("8443", "80"), Fields(DOCUMENTED)))


def changed_signatures():
    sha1, sha256 = sign(SMS, Fields(TEXT)), sign(SMS, Fields(TEXT), algorithm=HMAC_SHA256)
    bad("another token", signature=sign(SMS, Fields(TEXT), OLD_TOKEN))
    bad("another token, SHA-256", signature=sign(SMS, Fields(TEXT), OLD_TOKEN, HMAC_SHA256), settings=SHA256_SETTINGS)
    bad("neither of two tokens", signature=sign(SMS, Fields(TEXT), "x"), tokens=(TOKEN, OLD_TOKEN))
    bad("an empty token", signature=sign(SMS, Fields(TEXT), ""))
    bad("SHA-256 announced, SHA-1 given", signature=sha1, settings=SHA256_SETTINGS)
    bad("SHA-256 given, nothing announced", signature=sha256)
    bad("SHA-256 given, SHA-1 announced", signature=sha256, settings=f"key={KEY},algorithm=HMAC_SHA1")
    bad("the first algorithm named counts", signature=sha256, settings="algorithm=HMAC_SHA1,algorithm=HMAC_SHA256")
    for algorithm in ("HMAC_SHA512", "HMAC_MD5", "none", "SHA1", "HMAC-SHA256"):
        bad(f"a scheme nobody knows: {algorithm}", signature=sha1, settings=f"key={KEY},algorithm={algorithm}")
    bad("the signature in small letters", signature=sha1.lower())
    bad("the signature in capitals", signature=sha1.upper())
    bad("the signature cut short", signature=sha1[:-2])
    bad("the signature without its padding", signature=sha1.rstrip("="))
    bad("half a signature", signature=sha1[:12])
    bad("the first byte only", signature=base64.b64encode(base64.b64decode(sha1)[:1]).decode())
    bad("SHA-256 cut to the length of SHA-1", signature=base64.b64encode(base64.b64decode(sha256)[:20]).decode(), settings=SHA256_SETTINGS)
    bad("one byte more", signature=base64.b64encode(base64.b64decode(sha1) + b"\0").decode())
    bad("one bit changed", signature=base64.b64encode(bytes([base64.b64decode(sha1)[0] ^ 1]) + base64.b64decode(sha1)[1:]).decode())
    bad("the last spare bits changed", signature=sha1[:-2] + chr(ord(sha1[-2]) + 1) + "=")
    bad("a space before", signature=" " + sha1)
    bad("a line end behind", signature=sha1 + "\n")
    bad("hexadecimal for base64", signature=base64.b64decode(sha1).hex())
    bad("the alphabet of addresses", signature=base64.urlsafe_b64encode(b"\xfb" * 20).decode())
    bad("empty", signature="")
    bad("no base64", signature="\u00e9" * 28)
    bad("twice the same", signature=sha1 + "," + sha1)
    bad("no signature")
    bad("no token at all", signature=sha1, tokens=())


def changed_bodies():
    body = '{"a": 1}'
    digest = hashlib.sha256(body.encode()).hexdigest()
    url = f"{SMS}?bodySHA256={digest}"
    bad("a body changed", url, [], sign(url, {}), body='{"a": 2}')
    bad("a body with a space more", url, [], sign(url, {}), body=body + " ")
    bad("the digest in capitals", url.replace(digest, digest.upper()), [], sign(url.replace(digest, digest.upper()), {}), body=body)
    bad("the digest cut short", url[:-1], [], sign(url[:-1], {}), body=body)
    bad("the digest changed in the address", url.replace("=" + digest[0], "=" + ("0" if digest[0] != "0" else "1")), [], sign(url, {}), body=body)
    first = f"{SMS}?bodySHA256={'0' * 64}&bodySHA256={digest}"
    bad("the first of two digests counts", first, [], sign(first, {}), body=body)
    bad("an empty digest", f"{SMS}?bodySHA256=", [], sign(f"{SMS}?bodySHA256=", {}), body=body)
    bad("a body without a digest", SMS, [], sign(SMS, {}), body=body)
    bad("a digest under another name", f"{SMS}?bodysha256={digest}", [], sign(f"{SMS}?bodysha256={digest}", {}), body=body)


for part in (sound_forms, sound_addresses, sound_bodies, sound_schemes, changed_forms, changed_signatures, changed_bodies):
    part()
names = [v["name"] for v in VECTORS]
assert len(set(names)) == len(names), f"two vectors of one name: {[n for n in names if names.count(n) > 1]}"
about = (f"Written by vectors.py with Twilio's own Python package, twilio {version('twilio')} "
         "(request_validator.RequestValidator: compute_signature signed, validate judged). Not to be edited by hand.")
lines = ",\n".join(json.dumps(v, ensure_ascii=True) for v in VECTORS)
sys.stdout.write('{"about": ' + json.dumps(about) + ',\n"vectors": [\n' + lines + "\n]}\n")
