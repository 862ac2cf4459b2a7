// Sends one command to a screen and follows it to its end, by events.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { reasonOf } from "../../../ui/problem-message.tsx";
import type { Command } from "../data.ts";

export type CommandRequest = Schemas["CommandRequest"];

const finalStatuses: readonly Command["status"][] = ["succeeded", "failed", "rejected", "expired", "cancelled"];

/** True if the status of the command is final. */
export function isEnded({ status }: Command): boolean {
  return finalStatuses.includes(status);
}

export interface SentCommand {
  /** The command that was sent last, as it is now; null: none. */
  command: Command | null;
  isSending: boolean;
  /** Why it did not succeed; null: it has not failed. */
  failure: string | null;
  send: (request: CommandRequest) => void;
}

/** @param id of the screen */
export function useCommand(id: string): SentCommand {
  const queries = useQueryClient();
  const [commandId, setCommandId] = useState<string | null>(null);
  const sending = useMutation({
    mutationFn: async (body: CommandRequest) =>
      (await client.post("/api/v1/players/{id}/commands", { params: { path: { id } }, body })).data,
    onSuccess: (newCommand) => {
      queries.setQueryData(["commands", id, "one", newCommand.id], newCommand);
      setCommandId(newCommand.id);
      // The device may have answered before this page knew the command's id.
      void queries.invalidateQueries({ queryKey: ["commands", id] });
    },
  });
  const { data: command = null } = useQuery({
    queryKey: ["commands", id, "one", commandId],
    enabled: commandId !== null,
    queryFn: async ({ signal }) => {
      const path = { id, command_id: commandId! };
      return (await client.get("/api/v1/players/{id}/commands/{command_id}", { params: { path }, signal })).data;
    },
  });
  const failureText =
    command !== null && isEnded(command) && command.status !== "succeeded" ? (command.error?.detail ?? command.status) : null;
  return {
    command: sending.isPending ? null : command,
    isSending: sending.isPending,
    failure: sending.error === null ? failureText : reasonOf(sending.error),
    send: sending.mutate,
  };
}
