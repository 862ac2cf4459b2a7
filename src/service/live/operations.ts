// Operations for live views: people watch a screen, and its player sends the frames.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { id } from "../../protocol/common.ts";
import { LiveAnswer, LiveQuery, maxLiveFrameBytes } from "../../protocol/device/live.ts";
import type { Commands } from "../fleet/commands/commands.ts";
import { findPlayer, statusOf, type ShownPlayerDependencies } from "../fleet/players/resource.ts";
import { found, ProblemError } from "../http/problem.ts";
import type { LiveViews } from "./live-views.ts";
import { requireScope } from "../people/operator.ts";
import { Ticket, type Tickets } from "../people/tickets.ts";
import type { Store } from "../store/store.ts";
import { apiPrefix, operationsWith, type Operation } from "../operations/operation.ts";
import { StreamResponse } from "../operations/responses.ts";

interface LiveDependencies extends ShownPlayerDependencies {
  commands: Commands;
  live: LiveViews;
  store: Store;
  tickets: Tickets;
}

const mixed = "multipart/x-mixed-replace";
const ofPlayer = z.strictObject({ id: id("plr") });
const jpegStart = 0xffd8;

const operation = operationsWith<LiveDependencies>();

export const liveOperations: readonly Operation<LiveDependencies>[] = [
  operation({
    name: "watchPlayer",
    tag: "screenshots",
    method: "GET",
    path: "/players/{id}/live",
    summary: "Watch a screen live",
    description: `One to five pictures a second as \`${mixed}\`, which a browser shows in an \`<img>\`: fewer and smaller ones over a slow line or while the device is busy. All viewers of a player share its pictures. It ends after ten minutes, or when you disconnect; the last part is JSON then, with \`code\` and \`detail\`. If there is no picture at all, the response is 409 with the reason, such as a display that is switched off. The audit log has who watched, from \`watchPlayer\` to \`stopWatchingPlayer\`. An \`<img>\` cannot send the token: use a ticket. Also needs the scope \`screenshots:read\`.`,
    agent: false,
    caller: "operator",
    scope: "commands:write",
    params: ofPlayer,
    query: LiveQuery.extend({
      ticket: z.string().max(300).optional().describe("From `POST /players/{id}/live/tickets`, in place of the token"),
    }),
    status: 200,
    output: z.undefined(),
    endless: mixed,
    errors: ["not-found", "invalid", "no-picture", "too-many", "closing"],
    async run(dependencies, context, { params, query: { ticket: _ticket, ...wishes } }, unitOfWork) {
      const { commands, live, store } = dependencies;
      const { teamId, tokenId, address, requestId, operator } = context;
      requireScope(operator, "screenshots:read");
      const player = found(await findPlayer(store.db, teamId, params.id), "screen");
      if (statusOf(dependencies, player.id) === "offline") {
        throw new ProblemError("no-picture", `“${player.name}” is offline: there is no picture of it until it is connected again`);
      }
      const audience = { teamId, userId: operator.userId, tokenId, address, requestId };
      const start: Parameters<LiveViews["watch"]>[3] = (row, command) =>
        unitOfWork.write(async (db) => {
          const queued = await commands.queue(db, row, command);
          return { result: queued.row.id, entries: [queued.entry] };
        });
      const viewer = await live.watch(player, wishes, audience, start, context.signal);
      return new StreamResponse(viewer.type, viewer.parts, { "Cache-Control": "no-store", "X-Accel-Buffering": "no" });
    },
  }),
  operation({
    name: "createLiveTicket",
    tag: "screenshots",
    method: "POST",
    path: "/players/{id}/live/tickets",
    summary: "Create a ticket for a live view in a browser",
    description:
      "An `<img>` cannot send the token. The ticket replaces it once, within 30 s, in `GET /players/{id}/live?ticket=…`. Also needs the scope `screenshots:read`.",
    agent: false,
    caller: "operator",
    scope: "commands:write",
    params: ofPlayer,
    status: 201,
    output: Ticket,
    errors: ["not-found", "too-many"],
    run: ({ tickets }, _context, { params }, unitOfWork) =>
      unitOfWork.write(async (db, { operator, teamId }) => {
        requireScope(operator, "screenshots:read");
        const player = found(await findPlayer(db, teamId, params.id), "screen");
        return { result: tickets.create(operator, `${apiPrefix}/players/${player.id}/live`) };
      }),
  }),
  operation({
    name: "sendLiveFrame",
    tag: "device",
    method: "PUT",
    path: "/device/live/{stream_id}",
    summary: "Send a frame of a live view",
    description: `A JPEG of at most ${maxLiveFrameBytes / 1_024} KiB. The response says how the next frames should be; 410: nobody watches any more, send no more.`,
    caller: "device",
    params: z.strictObject({ stream_id: id("liv") }),
    stream: true,
    status: 200,
    output: LiveAnswer,
    errors: ["bad-file", "gone", "too-large"],
    headers: { "Content-Type": "`image/jpeg`; required" },
    async run({ live }, { player, header }, { params, raw }) {
      const frame = await read(raw);
      const isJpeg = header("content-type") === "image/jpeg" && frame.length > 4 && frame.readUInt16BE() === jpegStart;
      if (!isJpeg) throw new ProblemError("bad-file", "A frame is a JPEG, with Content-Type: image/jpeg");
      const answer = await live.receive(player, params.stream_id, frame);
      if (answer === null) throw new ProblemError("gone", "Nobody watches this live view any more");
      return answer;
    },
  }),
];

/** The body. @throws ProblemError 413 as soon as it is too large. */
async function read(raw: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxLiveFrameBytes) throw new ProblemError("too-large", `A frame has at most ${maxLiveFrameBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
