"""An OpenID Connect provider, for tests: discovery, keys that come and go, and tokens of every kind, by joserfc.

Takes commands by lines, answers each by a line of JSON, and ends with its input.
"""

import base64
import hashlib
import hmac
import json
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

try:
    from joserfc import jws
    from joserfc.jwk import ECKey, OKPKey, RSAKey
except ImportError as error:
    print(json.dumps({"lacking": str(error)}), flush=True)
    sys.exit(1)


# EdDSA has got a second name.
warnings.simplefilter("ignore")


class Provider(BaseHTTPRequestHandler):
    """Serves the documents as the commands have set them, and counts who asks."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    keys, headers, overrides, counts, metadata = [], {}, {}, {}, {}

    def do_GET(self):
        with Provider.lock:
            Provider.counts[self.path] = Provider.counts.get(self.path, 0) + 1
            status, text = 200, None
            if self.path == "/.well-known/openid-configuration":
                text = json.dumps({"issuer": issuer, "jwks_uri": issuer + "/keys", **Provider.metadata})
            elif self.path == "/keys":
                text = json.dumps({"keys": Provider.keys})
            headers = dict(Provider.headers)
            if self.path in Provider.overrides:
                status, text, more = Provider.overrides[self.path]
                headers.update(more)
        if text is None:
            status, text = 404, ""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
issuer = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
private = {}
allowed = [
    "none", "HS256", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
registry = jws.JWSRegistry(algorithms=allowed, strict_check_header=False)


def make(kid, kind, shown=True, members="{}"):
    """A key of some kind; `shown` puts it among the provider's."""
    options = {"kid": kid} if kid else {}
    if kind == "RSA":
        key = RSAKey.generate_key(2048, options)
    elif kind.startswith("P-"):
        key = ECKey.generate_key(kind, options)
    else:
        key = OKPKey.generate_key(kind, options)
    private[kid] = key
    if shown:
        show(kid, members)


def show(kid, members="{}"):
    document = {**private[kid].as_dict(private=False), **json.loads(members)}
    with Provider.lock:
        Provider.keys.append({name: value for name, value in document.items() if value is not None})


def hide():
    with Provider.lock:
        Provider.keys = []


def add(document):
    """A key as it stands there."""
    with Provider.lock:
        Provider.keys.append(json.loads(document))


def metadata(document):
    with Provider.lock:
        Provider.metadata = json.loads(document)


def headers(document):
    with Provider.lock:
        Provider.headers = json.loads(document)


def override(path, status, text, more="{}"):
    with Provider.lock:
        Provider.overrides[path] = (int(status), text, json.loads(more))


def restore():
    with Provider.lock:
        Provider.overrides, Provider.metadata, Provider.headers = {}, {}, {}


def count(path):
    with Provider.lock:
        return Provider.counts.get(path, 0)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(kid, header, claims):
    header = json.loads(header)
    return jws.serialize_compact(header, claims.encode(), private[kid], registry=registry)


def unsigned(header, claims):
    return f"{encoded(header.encode())}.{encoded(claims.encode())}."


def confused(kid, header, claims):
    """An HMAC with the text of the public key as its secret, which verifiers have taken that let a token choose."""
    secret = private[kid].as_pem(private=False)
    signed = f"{encoded(header.encode())}.{encoded(claims.encode())}"
    return f"{signed}.{encoded(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


print(json.dumps({"issuer": issuer}), flush=True)
commands = {
    f.__name__: f
    for f in (make, show, hide, add, metadata, headers, override, restore, count, sign, unsigned, confused)}
for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = {"value": commands[name](*arguments)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
