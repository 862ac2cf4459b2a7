// Pictures that were asked for and have not arrived. The events of a request's command tell its state.
import { useSyncExternalStore } from "react";
import type { Command } from "../../../src/protocol/device/commands.ts";
import { reasonOf } from "../ui/problem-message.tsx";
import { client } from "./client.ts";
import { eventStream } from "./event-stream.ts";

/** `sent`: the screen has not received it yet; `taking`: it has. */
export type PictureRequest = { is: "sent" | "taking" } | { is: "failed"; reason: string };

/** The picture is wanted now, or not at all. */
const validSeconds = 60;
const requests = new Map<string, PictureRequest>();
const commands = new Map<string, string>();
const listeners = new Set<() => void>();
let stopListening: (() => void) | null = null;

/** Asks a screen for a picture. */
export async function requestPicture(playerId: string): Promise<void> {
  stopListening ??= eventStream.listen((news) => {
    if (news.is === "event" && news.event.type.startsWith("command.")) follow(news.event.data as Partial<Command>);
    if (news.is === "resync") for (const [id, each] of commands) void readAgain(id, each);
    if (news.is === "signed-out") forgetPictureRequests();
  });
  set(playerId, { is: "sent" });
  try {
    const body = { type: "screenshot" as const, args: { format: "jpeg" as const, max_width: 960 }, ttl_s: validSeconds };
    const { data } = await client.post("/api/v1/players/{id}/commands", { params: { path: { id: playerId } }, body });
    commands.set(data.id, playerId);
    follow(unmatchedCommands.get(data.id));
  } catch (error) {
    set(playerId, { is: "failed", reason: reasonOf(error) });
    stopIfIdle();
  }
}

/** Forgets all requests, such as when the person leaves. */
export function forgetPictureRequests(): void {
  commands.clear();
  requests.clear();
  stopIfIdle();
  for (const listener of listeners) listener();
}

/** The state of this screen's request; undefined: there is none, or its picture has arrived. */
export function usePictureRequest(playerId: string): PictureRequest | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => requests.get(playerId),
  );
}

/** Commands that events told of before the answer to their request arrived. */
const unmatchedCommands = new Map<string, Partial<Command>>();

function follow(command: Partial<Command> | undefined): void {
  if (command?.type !== "screenshot" || command.id === undefined || command.status === undefined) return;
  const playerId = commands.get(command.id);
  if (playerId === undefined) {
    if (requests.get(command.player_id ?? "")?.is === "sent") unmatchedCommands.set(command.id, command);
    return;
  }
  if (["queued", "delivered"].includes(command.status)) return;
  if (["acknowledged", "running"].includes(command.status)) return set(playerId, { is: "taking" });
  commands.delete(command.id);
  set(playerId, command.status === "succeeded" ? undefined : { is: "failed", reason: command.error?.detail ?? "" });
  stopIfIdle();
}

/** Events may have been missed, and with them the end of this command. */
async function readAgain(id: string, playerId: string): Promise<void> {
  const path = { id: playerId, command_id: id };
  try {
    follow((await client.get("/api/v1/players/{id}/commands/{command_id}", { params: { path } })).data);
  } catch (error) {
    // The person can ask again.
    if (commands.delete(id)) set(playerId, { is: "failed", reason: reasonOf(error) });
    stopIfIdle();
  }
}

/** Stops listening unless a picture is still awaited, or a request is on its way. */
function stopIfIdle(): void {
  if (commands.size > 0 || [...requests.values()].some(({ is }) => is === "sent")) return;
  unmatchedCommands.clear();
  stopListening?.();
  stopListening = null;
}

function set(playerId: string, picture: PictureRequest | undefined): void {
  if (picture === undefined) requests.delete(playerId);
  else requests.set(playerId, picture);
  for (const listener of listeners) listener();
}
