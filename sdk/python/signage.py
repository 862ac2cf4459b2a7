"""Calls the signage service with Python's standard library only: REST, and a WebSocket client (RFC 6455) for events."""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import urllib.parse
import urllib.request
import uuid

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024


class Service:
    """The service at SIGNAGE_URL, called with the token SIGNAGE_TOKEN."""

    def __init__(self):
        self.url = os.environ["SIGNAGE_URL"].rstrip("/")
        self.token = os.environ["SIGNAGE_TOKEN"]

    def call(self, method, path, body=None, headers=None):
        """Sends a request below /api/v1 and returns its JSON. Raises urllib.error.HTTPError, whose body is a problem (RFC 9457)."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        all_headers = {"Authorization": f"Bearer {self.token}", **({} if body is None else {"Content-Type": kind})}
        if method == "POST":
            # A retry after a lost response does not run twice.
            all_headers["Idempotency-Key"] = str(uuid.uuid4())
        all_headers.update(headers or {})
        address = path if path.startswith("http") else f"{self.url}/api/v1/{path}"
        request = urllib.request.Request(address, data, all_headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read()
            if response.headers.get_content_type() == "text/event-stream":
                # MCP may respond with an event stream with one event.
                text = next(line[6:] for line in text.splitlines() if line.startswith(b"data: "))
        return json.loads(text) if text else None


class Socket:
    """A WebSocket. It replies to pings itself; receive() returns the next message, or None when the service has closed the connection."""

    def __init__(self, service, path, subprotocol, timeout=60):
        parts = urllib.parse.urlsplit(service.url)
        secure = parts.scheme == "https"
        host, port = parts.hostname, parts.port or (443 if secure else 80)
        raw = socket.create_connection((host, port), timeout)
        self._socket = ssl.create_default_context().wrap_socket(raw, server_hostname=host) if secure else raw
        self._file = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {subprotocol}",
            f"Authorization: Bearer {service.token}",
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        status = self._file.readline().decode()
        headers = {}
        while (line := self._file.readline().decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        if " 101 " not in status or headers.get("sec-websocket-accept") != accept:
            self.close()
            raise ConnectionError(f"the service rejected the WebSocket: {status.strip()}")

    def send(self, message):
        self._send_frame(0x1, json.dumps(message).encode())

    def receive(self):
        text = b""
        while True:
            first, second = self._read(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self._read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self._read(8))
            if length + len(text) > _MAX_MESSAGE_BYTES:
                raise ConnectionError("the message is too long")
            data = self._read(length)
            opcode = first & 0x0F
            if opcode == 0x8:
                self._send_frame(0x8, data[:2])
                return None
            if opcode == 0x9:
                self._send_frame(0xA, data)
            elif opcode in (0x0, 0x1):
                text += data
                if first & 0x80:
                    return json.loads(text)

    def close(self):
        self._file.close()
        self._socket.close()

    def _read(self, count):
        data = self._file.read(count)
        if len(data) < count:
            raise ConnectionError("the connection was lost")
        return data

    def _send_frame(self, opcode, data):
        # Clients must mask their frames (RFC 6455, section 5.3).
        mask = os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        self._socket.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))
