// Builds desired and ready states for tests.
import { createHash } from "node:crypto";
import { ulid } from "../../src/base/ulid.ts";
import type { ReadyState } from "../../src/player/content/ready-content.ts";
import type { PlayEvent } from "../../src/protocol/device/play-events.ts";
import type { DesiredState, DesiredAsset } from "../../src/protocol/device/desired-state.ts";
import type { PlaylistItem } from "../../src/protocol/content/items.ts";

const idTime = Date.UTC(2026, 0, 1);

export function newId<P extends string>(prefix: P): string {
  return `${prefix}_${ulid(idTime)}`;
}

/** An asset with these bytes. */
export function assetOf(bytes: Buffer, fields: Partial<DesiredAsset> = {}): DesiredAsset {
  const id = newId("ast");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    id,
    sha256,
    size_bytes: bytes.length,
    mime_type: "image/png",
    duration_ms: null,
    width: 10,
    height: 10,
    url: `/api/v1/device/assets/${sha256}`,
    ...fields,
  };
}

export function imageItem(asset: DesiredAsset, durationMs: number): PlaylistItem {
  return { id: newId("itm"), type: "image", asset_id: asset.id, duration_ms: durationMs, fit: "contain" };
}

/** A state of one full-screen zone that loops `items`. */
export function desiredOf(items: PlaylistItem[], assets: DesiredAsset[], revision = "r1"): DesiredState {
  return desiredWith(newId("lay"), newId("zon"), newId("pls"), items, assets, revision);
}

/** The same layout with other items. */
export function withItems(desired: DesiredState, items: PlaylistItem[], assets: DesiredAsset[], revision: string): DesiredState {
  const { layout } = desired;
  const zone = layout!.zones[0]!;
  return desiredWith(layout!.id, zone.id, zone.playlist_id!, items, assets, revision);
}

export function readyOf(desired: DesiredState): ReadyState {
  return { desired, files: new Map(desired.assets.map(({ id, sha256 }) => [id, sha256])) };
}

function desiredWith(
  layoutId: string,
  zoneId: string,
  playlistId: string,
  items: PlaylistItem[],
  assets: DesiredAsset[],
  revision: string,
): DesiredState {
  return {
    revision,
    player: { id: newId("plr"), name: "Lobby", timezone: "Europe/Berlin", tags: [], variables: {} },
    layout: {
      id: layoutId,
      width: 1920,
      height: 1080,
      background_color: "#000000",
      zones: [{ id: zoneId, name: "main", left: 0, top: 0, width: 1920, height: 1080, z_index: 0, playlist_id: playlistId }],
    },
    layouts: [],
    schedules: [],
    playlists: [{ id: playlistId, items }],
    assets,
  };
}

/** A play event with an id of its own. */
export function playEvent(): PlayEvent {
  return {
    id: newId("evt"),
    layout_id: newId("lay"),
    zone_id: newId("zon"),
    schedule_id: null,
    item_id: newId("itm"),
    asset_id: null,
    sha256: null,
    revision: "r",
    result: "completed",
    reason: null,
    started_at: "2026-11-21T10:00:00.000Z",
    ended_at: "2026-11-21T10:00:01.000Z",
    duration_ms: 1_000,
    started_monotonic_ms: 1,
    ended_monotonic_ms: 1_001,
    boot_id: "b",
    clock_offset_ms: 0,
    clock_error_ms: null,
  };
}
