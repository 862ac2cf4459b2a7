// The page in place of a screen that is in the bin, that was deleted for good, or that never was.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../../data/client.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";

const text = texts("screen");
const commonText = texts("common");

export function MissingScreen({ id }: { id: string }) {
  const queries = useQueryClient();
  const mayWrite = useMay("players:write");
  const { data: binEntry, isPending } = useQuery({
    queryKey: ["players", "bin", id],
    queryFn: async ({ signal }) => {
      for await (const player of client.pages("/api/v1/players", { params: { query: { deleted: "true", limit: 100 } }, signal })) {
        if (player.id === id) return player;
      }
      return null;
    },
  });
  const restoring = useMutation({
    mutationFn: async () => (await client.post("/api/v1/players/{id}/restore", { params: { path: { id } } })).data,
    onSuccess: ({ name }) => {
      showToast({ message: text("restored", { name }) });
      return queries.invalidateQueries({ queryKey: ["players"] });
    },
  });
  const toScreens = (
    <Link to="/" className="button">
      {commonText("toScreens")}
    </Link>
  );
  if (isPending) return null;
  if (binEntry == null) {
    return (
      <EmptyState isPage icon="screens" title={text("missingTitle")} text={text("missingText")}>
        {toScreens}
      </EmptyState>
    );
  }
  return (
    <EmptyState isPage icon="trash" title={text("binTitle", { name: binEntry.name })} text={text("binText")}>
      {mayWrite ? (
        <Button kind="primary" isPending={restoring.isPending} onPress={() => restoring.mutate()}>
          {text("restore")}
        </Button>
      ) : null}
      {toScreens}
      <ProblemMessage error={restoring.error} />
    </EmptyState>
  );
}
