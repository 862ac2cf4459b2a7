// The commands that were sent to a screen, newest first, with their results. Those that have not ended can be cancelled.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../../../data/client.ts";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { showFailure } from "../../../ui/toasts.tsx";
import type { Command } from "../data.ts";
import { commandName } from "./command-names.ts";
import { Lifecycle } from "./lifecycle.tsx";
import { isEnded } from "./use-command.ts";

const text = texts("screenCommands");

export function CommandHistory({ id }: { id: string }) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["commands", id, "list"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 25, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await client.get("/api/v1/players/{id}/commands", { params: { path: { id }, query }, signal })).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const commands = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="card command-history" aria-labelledby="history-title">
      <h2 id="history-title">{text("history")}</h2>
      {data !== undefined && commands.length === 0 ? <p className="faint">{text("noHistory")}</p> : null}
      <ol className="history-list stack" aria-labelledby="history-title">
        {commands.map((command) => (
          <HistoryEntry key={command.id} command={command} />
        ))}
      </ol>
      {hasNextPage ? (
        <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {text("loadMore")}
        </Button>
      ) : null}
    </section>
  );
}

function HistoryEntry({ command }: { command: Command }) {
  const { id: commandId, player_id: id, type, created_at: at, error } = command;
  const queries = useQueryClient();
  const may = useMay("commands:write");
  const cancelling = useMutation({
    mutationFn: () => client.post("/api/v1/players/{id}/commands/{command_id}/cancel", { params: { path: { id, command_id: commandId } } }),
    onError: showFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ["commands", id] }),
  });
  const name = commandName(type);
  return (
    <li>
      <p className="cluster between gap-1-3">
        <strong>{name}</strong>
        <span className="faint">
          <Age time={at} />
        </span>
      </p>
      <div className="cluster between gap-1-3">
        <Lifecycle command={command} failure={error?.detail ?? null} isAnnounced={false} />
        {may && !isEnded(command) ? (
          <Button
            size="small"
            kind="quiet"
            aria-label={text("cancelNamed", { name })}
            isPending={cancelling.isPending}
            onPress={() => cancelling.mutate()}
          >
            {text("cancel")}
          </Button>
        ) : null}
      </div>
    </li>
  );
}
