"""Receives webhooks and verifies them (Standard Webhooks 1.0). Prints one line per genuine message.

Usage: SIGNAGE_WEBHOOK_SECRET=whsec_… python3 verify_webhook.py PORT
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import sys
import time

SECRET = base64.b64decode(os.environ["SIGNAGE_WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_S = 300
MAX_BYTES = 100_000


def is_genuine(headers, body):
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    # During a rotation of the secret there are several signatures, separated by spaces.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in given)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        # Verify the exact bytes received: parsing and serializing the body would change the signature.
        body = self.rfile.read(length) if length <= MAX_BYTES else b""
        genuine = length <= MAX_BYTES and is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if genuine:
            # The id identifies a repeated delivery.
            print(json.loads(body)["type"], self.headers["webhook-id"], flush=True)

    def log_message(self, *_):
        """Suppresses the request log."""


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
