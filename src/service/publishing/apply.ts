// Publishes images of content: gives resources the state of the images, in one transaction, and finds the players and events that follow.
import { contentEvent } from "../content/content-event.ts";
import type { ContentChange, ContentRef, Published } from "../../protocol/operator/publishing.ts";
import { listFaults } from "../../protocol/refusal.ts";
import { ProblemError } from "../http/problem.ts";
import type { WriteEvent } from "../operations/unit-of-work.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { concernedPlayers } from "./concerned-players.ts";
import { fit, useOf, type Applying } from "./fitting.ts";
import { actionOf, nameIn, readLive, writeImage, type Image } from "./images.ts";

/** A resource and the image that it is to have. */
export interface Wanted extends ContentRef {
  image: Image;
}

export interface Applied {
  changes: ContentChange[];
  skipped: Published["skipped"];
  affected: PlayerRow[];
  events: WriteEvent[];
}

// A resource comes after those that it refers to; deletions go the other way.
const order = ["calendar", "playlist", "layout", "schedule"] as const;

/**
 * Gives the resources their images in `wanted`.
 * @param repairs true: a change that is impossible is left out and reported, as when an old version is restored; else the write is refused
 * @throws ProblemError 409 naming everything that does not fit, unless `repairs`.
 */
export async function applyImages(db: Db, teamId: string, wanted: readonly Wanted[], now: number, repairs: boolean): Promise<Applied> {
  const live = await readLive(db, teamId, wanted);
  const imageNow = ({ id }: ContentRef) => live.get(id)?.image ?? null;
  const different = wanted.filter((each) => each.image !== imageNow(each));
  const before = await concernedPlayers(db, teamId, different);
  const applying: Applying = { db, teamId, now, repairs, events: [] };
  const applied: Wanted[] = [];
  const skipped: Applied["skipped"] = [];
  const skip = ({ kind, id, image }: Wanted, detail: string) => {
    skipped.push({ kind, id, name: nameIn((image ?? imageNow({ kind, id }))!), detail });
  };
  for (const each of order.flatMap((kind) => different.filter((one) => one.kind === kind && one.image !== null))) {
    const fitted = await fit(applying, each, each.image!);
    if ("reason" in fitted) skip(each, fitted.reason);
    // The rest of the image may equal the resource's present state.
    else if (fitted.image !== imageNow(each)) {
      applied.push({ ...each, image: fitted.image });
      await writeImage(db, teamId, each, fitted.image, now);
    }
  }
  for (const each of order.toReversed().flatMap((kind) => different.filter((one) => one.kind === kind && one.image === null))) {
    const use = await useOf(applying, each);
    if (use !== null) skip(each, use);
    else {
      applied.push(each);
      await writeImage(db, teamId, each, null, now);
    }
  }
  if (skipped.length > 0 && !repairs) throw notFitting(skipped);
  const after = await concernedPlayers(db, teamId, applied);
  const changes = applied.map((each): ContentChange => {
    const old = imageNow(each);
    return { kind: each.kind, id: each.id, name: nameIn((each.image ?? old)!), action: actionOf(old, each.image) };
  });
  const events = applied.map((each) => eventOf(teamId, each, imageNow(each)));
  const affected = [...new Map([...before, ...after].map((player) => [player.id, player])).values()];
  return { changes, skipped, affected, events: [...applying.events, ...events] };
}

function notFitting(skipped: Applied["skipped"]): ProblemError {
  const errors = skipped.map(({ kind, id, name, detail }) => ({ pointer: `/changes/${kind}/${id}`, detail: `“${name}”: ${detail}` }));
  return new ProblemError("in-use", listFaults(errors.map(({ detail }) => detail)), { errors });
}

const pastTenses = { created: "created", changed: "updated", deleted: "deleted" } as const;

function eventOf(teamId: string, { kind, id, image }: Wanted, before: Image): WriteEvent {
  const values = JSON.parse((image ?? before)!) as { name: string; layout_id?: string };
  return contentEvent(`${kind}.${pastTenses[actionOf(before, image)]}`, { ...values, id, team_id: teamId });
}
