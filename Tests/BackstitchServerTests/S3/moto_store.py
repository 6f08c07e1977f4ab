"""A store that speaks S3, for tests: moto's server, boto3 beside it, and a server that says what it is told to.

Takes commands by lines, answers each by a line of JSON, and ends with its input.
"""

import hashlib
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

try:
    import boto3
    from moto.s3.models import s3_backends
    from moto.server import ThreadedMotoServer
except ImportError as error:
    print(json.dumps({"lacking": str(error)}), flush=True)
    sys.exit(1)


class Fault(BaseHTTPRequestHandler):
    """Answers as it was told last; with nothing more to refuse, by an empty list."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    status, code, times, extra, count = 200, "", 0, "", 0

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with Fault.lock:
            Fault.count += 1
            refuses = Fault.times != 0
            Fault.times -= 1 if Fault.times > 0 else 0
        text = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
        if refuses:
            # As stores do, which tell whoever asks what they have understood.
            key = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
            text = (
                f"<Error><Code>{Fault.code}</Code><Message>refused {key}</Message>"
                f"<AWSAccessKeyId>{key}</AWSAccessKeyId>{Fault.extra}</Error>"
            )
        body = text.encode()
        self.send_response(Fault.status if refuses else 200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
store = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
store.start()
port = store.get_host_and_port()[1]
faulty = ThreadingHTTPServer(("127.0.0.1", 0), Fault)
threading.Thread(target=faulty.serve_forever, daemon=True).start()
s3 = boto3.client(
    "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
    aws_access_key_id="reader", aws_secret_access_key="reader")


def objects(bucket):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return {item["Key"]: item["Size"] for page in pages for item in page.get("Contents", [])}


def fault(status, code, times, extra=""):
    with Fault.lock:
        Fault.status, Fault.code, Fault.times, Fault.extra, Fault.count = int(status), code, int(times), extra, 0


def answered():
    return Fault.count


def make(bucket):
    s3.create_bucket(Bucket=bucket)


def digest(bucket, key):
    return hashlib.sha256(s3.get_object(Bucket=bucket, Key=key)["Body"].read()).hexdigest()


def put(bucket, key, text):
    s3.put_object(Bucket=bucket, Key=key, Body=text.encode())


def fill(bucket, prefix, count):
    """Many objects at once, past the network."""
    backend = s3_backends["123456789012"]["aws"]
    for number in range(int(count)):
        backend.put_object(bucket, f"{prefix}{number:05}", b"x")


def remove(bucket, key):
    s3.delete_object(Bucket=bucket, Key=key)


def begin(bucket, key):
    s3.create_multipart_upload(Bucket=bucket, Key=key)


def uploads(bucket):
    return [upload["Key"] for upload in s3.list_multipart_uploads(Bucket=bucket).get("Uploads", [])]


print(json.dumps({"port": port, "faulty": faulty.server_port}), flush=True)
commands = {f.__name__: f for f in (objects, fault, answered, make, digest, put, fill, remove, begin, uploads)}
for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = {"value": commands[name](*arguments)}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
