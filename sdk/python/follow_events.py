"""Prints one line per event without missing any: the position is stored in a file, and the next start continues there.

Usage: SIGNAGE_URL=… SIGNAGE_TOKEN=… python3 follow_events.py PLACE_FILE
"""

import json
import os
import pathlib
import random
import sys
import time

from signage import Service, Socket

place_file = pathlib.Path(sys.argv[1])
service = Service()
kinds = ["playlist_updates", "layout_updates", "commands", "screenshot_results"]


def keep(place):
    """Stores the position of the last handled event atomically."""
    new = place_file.with_suffix(".new")
    new.write_text(json.dumps(place))
    os.replace(new, place_file)


def write_line(line):
    print(line, flush=True)


def follow():
    """Follows events until the connection ends."""
    place = json.loads(place_file.read_text()) if place_file.exists() else None
    # The service sends a ping every 15 s, so a connection that is silent for a minute is dead.
    events = Socket(service, "/api/v1/events", "signage.events.v1", timeout=60)
    try:
        events.send({"type": "subscribe", "id": "1", "data": {"kinds": kinds, **({"after": place} if place else {})}})
        while (message := events.receive()) is not None:
            kind, data = message["type"], message["data"]
            if kind == "error":
                raise ConnectionError(data["detail"])
            if kind == "subscribed":
                write_line("subscribed")
                place = place or {"epoch": data["epoch"], "seq": data["seq"]}
            elif kind == "event":
                # Handle the event here. After a crash it may arrive twice, with the same data["id"].
                write_line(f"{message['seq']} {data['type']} {data['id']}")
                place = {"epoch": place["epoch"], "seq": message["seq"]}
            elif kind in ("place", "resync"):
                if kind == "resync":
                    write_line("resync: too many events were missed, read everything again")
                place = {"epoch": data["epoch"], "seq": data["seq"]}
            else:
                continue
            keep(place)
    finally:
        events.close()


failures = 0
while True:
    begun = time.monotonic()
    try:
        follow()
    except OSError as error:
        print(error, file=sys.stderr)
    failures = 0 if time.monotonic() - begun > 60 else failures + 1
    # Wait a random time up to a limit that doubles, so that many clients do not reconnect at the same time.
    time.sleep(random.random() * min(60, 2**failures))
