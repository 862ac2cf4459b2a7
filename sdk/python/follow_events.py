"""Follows what happens and misses nothing: the place is kept in a file, from where the next start goes on. One line for each event.

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
    """Writes the last event that was handled down, whole or not at all."""
    new = place_file.with_suffix(".new")
    new.write_text(json.dumps(place))
    os.replace(new, place_file)


def tell(line):
    print(line, flush=True)


def follow():
    """One connection, to its end."""
    place = json.loads(place_file.read_text()) if place_file.exists() else None
    # The service pings every 15 s: what is silent for a minute is dead.
    events = Socket(service, "/api/v1/events", "signage.events.v1", timeout=60)
    try:
        events.send({"type": "subscribe", "id": "1", "data": {"kinds": kinds, **({"after": place} if place else {})}})
        while (message := events.receive()) is not None:
            kind, data = message["type"], message["data"]
            if kind == "error":
                raise ConnectionError(data["detail"])
            if kind == "subscribed":
                tell("subscribed")
                place = place or {"epoch": data["epoch"], "seq": data["seq"]}
            elif kind == "event":
                # Here would stand what you do with it. It may come twice after a crash: data["id"] is the same then.
                tell(f"{message['seq']} {data['type']} {data['id']}")
                place = {"epoch": place["epoch"], "seq": message["seq"]}
            elif kind in ("place", "resync"):
                if kind == "resync":
                    tell("resync: too much was missed, read everything again")
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
    # At random up to a bound that doubles, so that many clients do not come back at once.
    time.sleep(random.random() * min(60, 2**failures))
