// The name of a screen of which only the id is known. Only what is shown is read.
import { useQuery } from "@tanstack/react-query";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { bulk } from "../../i18n/en/bulk.ts";
import { texts } from "../../i18n/texts.ts";

const text = texts(bulk);

/** The name of a screen; null: it is not known yet. */
export function useScreenName(id: string): string | null {
  const { data } = useQuery({
    // Not below `players`: names rarely change, and events about players are many.
    queryKey: ["screen-names", id],
    queryFn: async () => {
      try {
        return (await client.get("/api/v1/players/{id}", { params: { path: { id } } })).data.name;
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) return text("gone");
        throw error;
      }
    },
  });
  return data ?? null;
}

export function ScreenName({ id }: { id: string }) {
  return <bdi className="bulk-name">{useScreenName(id) ?? "…"}</bdi>;
}
