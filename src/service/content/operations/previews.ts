// Operations for previews: the content that a player is to show, and tickets for the player's page with the files that it draws.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { NewPreviewTicket, PlayerDesiredState, PreviewFeeds, PreviewTicket, ShownContent } from "../../../protocol/operator/previews.ts";
import type { FeedCopies } from "../previews/feed-copies.ts";
import { coverContent, renewedTicket, type OpenTicket, type PreviewTickets } from "../previews/preview-tickets.ts";
import { contentOfPlayer, readShownContent, type PreviewSubject, type ShownContentDependencies } from "../previews/shown-content.ts";
import { findPlayer } from "../../fleet/players/resource.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { requireScope, type Operator } from "../../people/operator.ts";
import type { Db } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { draftHeader, operationsWith, type Operation } from "../../operations/operation.ts";
import { playerParams } from "../../fleet/operations/players.ts";

interface PreviewDependencies extends ShownContentDependencies {
  clock: Clock;
  feedCopies: FeedCopies;
  previews: PreviewTickets;
}

const oneTicket = z.strictObject({ id: id("prv") });

const operation = operationsWith<PreviewDependencies>();

export const previewOperations: readonly Operation<PreviewDependencies>[] = [
  operation({
    name: "getPlayerDesiredState",
    tag: "players",
    method: "GET",
    path: "/players/{id}/desired-state",
    summary: "Read what a player is to show",
    description:
      "The document from which the player decides what is on its screen: layouts, playlists, schedules and files, and the overrides, pauses and variables that it has confirmed or reported. The pictures of a preview are computed from it. Secrets of web items are masked, and files have no links.",
    agent: "Use it only to examine what exactly a player received. To know what it shows and when, use get_player_now and get_forecast.",
    caller: "operator",
    scope: "players:read",
    drafts: true,
    params: playerParams,
    status: 200,
    output: PlayerDesiredState,
    errors: ["not-found"],
    async run(dependencies, { teamId }, { params }) {
      const player = found(await findPlayer(dependencies.store.db, teamId, params.id), "screen");
      return { player_id: player.id, ...(await contentOfPlayer(dependencies, player)) };
    },
  }),
  operation({
    name: "createPreviewTicket",
    tag: "previews",
    method: "POST",
    path: "/preview-tickets",
    summary: "Create a ticket for a preview",
    description:
      "Opens the player's page, and the files that a player, a layout or a playlist shows, to a frame of a browser that cannot send the token. It lasts 15 minutes, unless it is renewed, and ends with the token. Bundles, web pages and streams are not part of it: they run on players only. Also needs the scope to read what is previewed.",
    agent: false,
    caller: "operator",
    unaudited: true,
    scope: "assets:read",
    drafts: true,
    body: NewPreviewTicket,
    example: { playlist_ids: [], asset_ids: [], schedule_changes: [] },
    status: 201,
    output: PreviewTicket,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId, operator, baseUrl }, { body }, unitOfWork) {
      const { previews } = dependencies;
      const subject = subjectOf(body);
      requireReading(operator, subject);
      const content = await readShownContent(dependencies, teamId, subject);
      return unitOfWork.write(async (_db, current) => {
        const hasCaptures = subject.playerId !== null && current.operator.scopes.includes("screenshots:read");
        const ticket = previews.prepare(current.operator, subject, hasCaptures);
        coverContent(ticket, content, draftOf(current));
        let opened: (operator: Operator) => void = () => undefined;
        const afterDraft = async (open: Db): Promise<void> => {
          opened = await previews.open(open, ticket);
        };
        return { result: show(ticket, baseUrl), afterDraft, committed: () => opened(current.operator) };
      });
    },
  }),
  operation({
    name: "getPreviewContent",
    tag: "previews",
    method: "GET",
    path: "/preview-tickets/{id}/content",
    summary: "Read what a preview shows",
    description:
      "As it is now. A layout or a playlist is shown as on a screen that has nothing else, and the tags and variables that conditions of its items want: a playlist fills a layout of 1920 × 1080.",
    agent: false,
    caller: "operator",
    scope: "assets:read",
    drafts: true,
    params: oneTicket,
    status: 200,
    output: ShownContent,
    errors: ["not-found"],
    async run(dependencies, context, { params }) {
      const { teamId, operator } = context;
      const ticket = await dependencies.previews.find(params.id, operator);
      requireReading(operator, ticket.subject);
      const content = await readShownContent(dependencies, teamId, ticket.subject);
      await dependencies.previews.cover(ticket, content, draftOf(context));
      return content;
    },
  }),
  operation({
    name: "getPreviewFeeds",
    tag: "previews",
    method: "GET",
    path: "/preview-tickets/{id}/feeds",
    summary: "Read the feeds of a preview",
    description:
      "The service's own copies of the feeds in the content that was last read for the ticket. A copy that is older than the feed's `refresh_interval_ms` is fetched first, which can take half a minute. The service calls public addresses only, and those of `--allow-address`: a feed in the players' own network is read by the players.",
    agent: false,
    caller: "operator",
    scope: "assets:read",
    params: oneTicket,
    status: 200,
    output: PreviewFeeds,
    errors: ["not-found"],
    async run({ feedCopies, previews }, { teamId, operator }, { params }) {
      const ticket = await previews.find(params.id, operator);
      requireReading(operator, ticket.subject);
      return { feeds: await feedCopies.read(teamId, ticket.feeds) };
    },
  }),
  operation({
    name: "renewPreviewTicket",
    tag: "previews",
    method: "POST",
    path: "/preview-tickets/{id}/renew",
    summary: "Renew the ticket of a preview",
    description: "It lasts 15 minutes from now on. Its addresses stay the same.",
    agent: false,
    caller: "operator",
    unaudited: true,
    scope: "assets:read",
    params: oneTicket,
    status: 200,
    output: PreviewTicket,
    errors: ["not-found"],
    async run({ clock, previews }, { baseUrl }, { params }, unitOfWork) {
      return unitOfWork.write(async (db, current) => {
        const ticket = await previews.find(params.id, current.operator);
        requireReading(current.operator, ticket.subject);
        const renewed = renewedTicket(ticket, clock.now());
        return { result: show(renewed, baseUrl), committed: await previews.renew(db, renewed) };
      });
    },
  }),
];

function subjectOf({ player_id, layout_id, playlist_id, playlist_ids, asset_ids, schedule_changes }: NewPreviewTicket): PreviewSubject {
  return {
    playerId: player_id ?? null,
    layoutId: layout_id ?? null,
    playlistId: playlist_id ?? null,
    playlistIds: playlist_ids,
    assetIds: asset_ids,
    scheduleChanges: schedule_changes,
  };
}

/** The draft in which the call reads; null: it reads published content. */
function draftOf({ header }: Pick<OperatorContext, "header">): string | null {
  return header(draftHeader.toLowerCase()) ?? null;
}

/** @throws ProblemError 403 if the token may not read the subject of the preview. */
function requireReading(operator: Operator, { playerId, layoutId, playlistId, playlistIds, scheduleChanges }: PreviewSubject): void {
  if (playerId !== null) requireScope(operator, "players:read");
  if (layoutId !== null) requireScope(operator, "layouts:read");
  if (playlistId !== null || playlistIds.length > 0) requireScope(operator, "playlists:read");
  if (scheduleChanges.length > 0) requireScope(operator, "schedules:read");
}

function show({ id: ticket, secret, expiresAt }: OpenTicket, baseUrl: string | null): PreviewTicket {
  if (baseUrl === null) {
    throw new ProblemError("bad-request", "The Host header must be a host name or an IP address, with an optional port");
  }
  return { ticket, page_url: `${baseUrl}/preview/${secret}/preview.html`, expires_at: new Date(expiresAt).toISOString() };
}
