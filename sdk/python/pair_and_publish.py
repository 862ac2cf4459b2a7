"""Pairs the player that shows CODE and shows PICTURE on it. Prints the player's id.

Usage: SIGNAGE_URL=http://127.0.0.1:8080 SIGNAGE_TOKEN=sgn_pat_… python3 pair_and_publish.py CODE PICTURE
"""

import pathlib
import sys
import urllib.parse

from signage import Service

code, picture = sys.argv[1], pathlib.Path(sys.argv[2])
service = Service()

player = service.call("POST", "players/pair", {"code": code, "name": "Lobby"})
asset = service.call("POST", f"assets?name={urllib.parse.quote(picture.name)}", picture.read_bytes())
items = [{"type": "image", "asset_id": asset["id"], "duration_ms": 10_000}]
playlist = service.call("POST", "playlists", {"name": "Lobby", "items": items})
zone = {"name": "main", "left": 0, "top": 0, "width": 1920, "height": 1080, "playlist_id": playlist["id"]}
layout = service.call("POST", "layouts", {"name": "Lobby", "width": 1920, "height": 1080, "zones": [zone]})
service.call("PATCH", f"players/{player['id']}", {"layout_id": layout["id"]})
print(player["id"])
