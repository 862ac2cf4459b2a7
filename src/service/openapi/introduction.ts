// The words that /docs opens with: the first steps, where the token is, and the other ways to talk to the service.

/** Markdown, for OpenAPI's `info.description`. */
export const introduction = `Put content on screens: pair a player, show something on it, see what it shows.

## First steps

1. **Get a token.** The first one, the owner's, is in the file \`admin-token\` of the service's data folder: \`~/.local/share/signage-player/service/admin-token\` after \`npm start\`, \`/var/lib/signage-service/admin-token\` as a system service. Send it as \`Authorization: Bearer …\`; on this page, press **Authorize** and paste it. Make narrower tokens for programs with [POST /tokens](#/tokens/createToken).
2. **Claim a screen.** A new player shows a code: [POST /players/pair](#/players/pairPlayer) with \`{"code": "WDJB-MJHT", "name": "Lobby"}\`.
3. **Upload a picture.** [POST /assets](#/assets/createAsset) takes the raw bytes and answers with the asset's id.
4. **Show it.** [POST /show](#/shows/show) with \`{"asset_id": "ast_…", "everywhere": true, "until": null}\` puts it on your screens. For loops and several zones make a [playlist](#/playlists/createPlaylist) and a [layout](#/layouts/createLayout), and give the layout to the player with [PATCH /players/{id}](#/players/updatePlayer) or to many by a [schedule](#/schedules/createSchedule).
5. **See it.** [POST /players/{id}/commands](#/commands/sendCommand) with \`{"type": "screenshot"}\`, then [GET /players/{id}/screenshots](#/screenshots/listScreenshots).

## Other ways in

| way | where |
|---|---|
| Agents | MCP at \`/mcp\`, with the same tokens |
| What happens, as it happens | WebSocket at \`/api/v1/events\`, described by [asyncapi.json](/api/v1/asyncapi.json); without a socket: [GET /events](#/events/listEvents) |
| What happens, told to your server | [webhooks](#/webhooks/createWebhook), signed by Standard Webhooks |
| Programs | a typed client and examples in curl, TypeScript and Python: the folder \`sdk\` of the repository; any OpenAPI generator with [openapi.json](/api/v1/openapi.json) |

The operations tagged **device**, at the end, are what players call. You need them only to write a player of your own.

## Conventions

Errors are RFC 9457 problems that name the field and the remedy. Lists are \`{data, next_cursor}\`. Every POST takes an \`Idempotency-Key\`; changes take \`If-Match\`; every write takes \`?dry_run=true\`. Times are RFC 3339 in UTC. Every answer has a \`Request-Id\`; what is no HTTP request at all is refused with 400, 408 or 431 before any operation sees it.`;
