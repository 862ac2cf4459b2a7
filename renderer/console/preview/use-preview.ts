// The ticket and the content of the preview of a screen, a layout or a playlist. The ticket lives as long as the preview is shown.
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { ProblemError, type Schemas } from "../../../sdk/typescript/client.ts";
import { feedsOf } from "../../../src/protocol/content/items.ts";
import type { PreviewFeed, ShownContent } from "../../../src/protocol/operator/previews.ts";
import { client } from "../data/client.ts";
import { previewContentOf, type PreviewContent } from "./content.ts";

/**
 * The subject of a preview. `playlistIds`, `assetIds`: further content in it, such as with a change that is not saved yet.
 * `scheduleChanges`: with which the screen is shown, before they are saved.
 */
export type PreviewSubject = (
  | { playerId: string; scheduleChanges?: Schemas["NewPreviewTicket"]["schedule_changes"] }
  | { layoutId: string }
  | { playlistId: string }
) & {
  playlistIds?: readonly string[];
  assetIds?: readonly string[];
};

/** Changes the content of a preview, such as to an editor's unsaved state. Pass the same function for the same change. */
export type ContentChange = (shown: ShownContent) => ShownContent;

export type PreviewTicket = Schemas["PreviewTicket"];

// A ticket lasts 15 minutes.
const renewBeforeMs = 300_000;

const ticketQuery = (subject: PreviewSubject) =>
  queryOptions({
    queryKey: ["preview-tickets", subject],
    queryFn: async ({ signal }) => (await client.post("/api/v1/preview-tickets", { body: bodyOf(subject), signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    // A page that opens later gets a ticket of its own.
    gcTime: 0,
  });

function bodyOf(subject: PreviewSubject): Schemas["NewPreviewTicket"] {
  const more = { playlist_ids: [...(subject.playlistIds ?? [])], asset_ids: [...(subject.assetIds ?? [])] };
  if ("playerId" in subject) return { player_id: subject.playerId, schedule_changes: subject.scheduleChanges ?? [], ...more };
  return "layoutId" in subject ? { layout_id: subject.layoutId, ...more } : { playlist_id: subject.playlistId, ...more };
}

const noFeeds: readonly PreviewFeed[] = [];

const identity: ContentChange = (content) => content;

/** The ticket and the content of a preview. The content is read again when an event says that it has changed. */
export function usePreview(
  subject: PreviewSubject,
  { change = identity, isEnabled = true }: { change?: ContentChange | undefined; isEnabled?: boolean } = {},
): { ticket: PreviewTicket | undefined; content: PreviewContent | null; feeds: readonly PreviewFeed[]; error: Error | null } {
  const queries = useQueryClient();
  // Events of screens change the previews of screens only.
  const noun = "playerId" in subject ? "player-previews" : "previews";
  const { data: ticket, error: ticketError } = useQuery({
    ...ticketQuery(subject),
    enabled: isEnabled,
    // The picture stays until another ticket is there, such as for a playlist that was just chosen.
    placeholderData: (before) => before,
  });
  const { data, error: contentError } = useQuery({
    queryKey: [noun, ticket?.ticket],
    enabled: ticket !== undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { id: ticket!.ticket } };
      const { data: state } = await client.get("/api/v1/preview-tickets/{id}/content", { params, signal });
      // The same schema describes both types. The content opens its files with the ticket that covers them.
      return { shown: state as unknown as ShownContent, opensWith: ticket! };
    },
    placeholderData: (before) => before,
  });
  const feedUrls = data === undefined ? [] : feedsOf(data.shown.state.playlists).map(({ url }) => url);
  const { data: feeds = noFeeds } = useQuery({
    queryKey: [noun, ticket?.ticket, "feeds", feedUrls],
    enabled: ticket !== undefined && feedUrls.length > 0,
    queryFn: async ({ signal }) => {
      const params = { path: { id: ticket!.ticket } };
      return (await client.get("/api/v1/preview-tickets/{id}/feeds", { params, signal })).data.feeds;
    },
    placeholderData: (before) => before,
  });
  const isGone = contentError instanceof ProblemError && contentError.status === 404;
  const { queryKey } = ticketQuery(subject);
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    // The service was restarted, or this browser slept.
    if (isGone) void queries.resetQueries({ queryKey: JSON.parse(key) as unknown[] });
  }, [isGone, key, queries]);
  useEffect(() => {
    if (ticket === undefined) return undefined;
    const renew = async (): Promise<void> => {
      const params = { path: { id: ticket.ticket } };
      const renewal = await client.post("/api/v1/preview-tickets/{id}/renew", { params }).catch(() => null);
      if (renewal === null) void queries.invalidateQueries({ queryKey: JSON.parse(key) as unknown[] });
      else queries.setQueryData(JSON.parse(key) as unknown[], renewal.data);
    };
    const timer = setTimeout(() => void renew(), Math.max(0, Date.parse(ticket.expires_at) - Date.now() - renewBeforeMs));
    return () => clearTimeout(timer);
  }, [ticket, key, queries]);
  const content = useMemo(() => (data === undefined ? null : previewContentOf(change(data.shown))), [data, change]);
  return { ticket: data?.opensWith, content, feeds, error: ticketError ?? contentError };
}
