// The introduction of the API description: first steps, where to find the token, and other ways to use the service.

/** Markdown, for OpenAPI's `info.description`. */
export const introduction = `Put content on screens: pair a player, show something on it, see what it shows.

## First steps

1. **Get a token.** The first one, the owner's, is in the file \`admin-token\` of the service's data folder: \`~/.local/share/signage-player/service/admin-token\` after \`npm start\`, \`/var/lib/signage-service/admin-token\` as a system service. Send it as \`Authorization: Bearer …\`; on this page, press **Authorize** and paste it. Make narrower tokens for programs with [POST /tokens](#/tokens/createToken).
2. **Pair a player.** A new player shows a code: [POST /players/pair](#/players/pairPlayer) with \`{"code": "WDJB-MJHT", "name": "Lobby"}\`.
3. **Upload a picture.** [POST /assets](#/assets/createAsset) accepts the raw bytes and returns the asset's id.
4. **Show it.** [POST /show](#/shows/show) with \`{"asset_id": "ast_…", "everywhere": true, "until": null}\` puts it on your screens. For loops and several zones create a [playlist](#/playlists/createPlaylist) and a [layout](#/layouts/createLayout), and assign the layout to a player with [PATCH /players/{id}](#/players/updatePlayer) or to many with a [schedule](#/schedules/createSchedule).
5. **See it.** [POST /players/{id}/commands](#/commands/sendCommand) with \`{"type": "screenshot"}\`, then [GET /players/{id}/screenshots](#/screenshots/listScreenshots).

## Other interfaces

| interface | where |
|---|---|
| Agents | MCP at \`/mcp\`, with the same tokens |
| Events in real time | WebSocket at \`/api/v1/events\`, described by [asyncapi.json](/api/v1/asyncapi.json); without a WebSocket: [GET /events](#/events/listEvents) |
| Events sent to your server | [webhooks](#/webhooks/createWebhook), signed by Standard Webhooks |
| Programs | a typed client and examples in curl, TypeScript and Python in the folder \`sdk\` of the repository; any OpenAPI generator with [openapi.json](/api/v1/openapi.json) |

The operations tagged **device**, at the end, are for players. You need them only to write your own player.

## Conventions

Errors are RFC 9457 problems that name the field and what to do. Lists are \`{data, next_cursor}\`. Every POST accepts an \`Idempotency-Key\`, changes accept \`If-Match\`, and writes accept \`?dry_run=true\`. Times are RFC 3339 in UTC. Every response has a \`Request-Id\`. Invalid HTTP is rejected with 400, 408 or 431 before it reaches an operation.`;
