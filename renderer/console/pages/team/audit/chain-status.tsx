// The state of the audit log's hash chain: checked when the page opens, and on request.
import { useQuery } from "@tanstack/react-query";
import { client } from "../../../data/client.ts";
import { useSession } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";

const text = texts("audit");

export function ChainStatus() {
  const { team } = useSession();
  // It reads the whole log: not after every change, but when a person opens the page or asks.
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["audit-chain", team.id],
    queryFn: async () => (await client.get("/api/v1/audit/verify")).data,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <section
      className="card chain"
      aria-label={text("chain")}
      data-is={data === undefined || isFetching ? "checking" : data.holds ? "good" : "bad"}
    >
      <div className="chain-result cluster gap-3">
        <span className="chain-icon center rigid">
          <Icon name={data === undefined || isFetching ? "clock" : data.holds ? "check" : "warning"} />
        </span>
        <div role="status">
          {isFetching ? (
            <p>{text("checking")}</p>
          ) : data === undefined ? null : data.holds ? (
            <>
              <h3>{text("holds")}</h3>
              <p>{text("holdsText", { count: data.entries })}</p>
            </>
          ) : (
            <>
              <h3>{text("broken", { seq: data.broken_at_seq })}</h3>
              <p>{text("brokenText", { count: data.entries })}</p>
            </>
          )}
        </div>
        <Button isDisabled={isFetching} onPress={() => void refetch()}>
          {text("checkAgain")}
        </Button>
      </div>
      <ProblemMessage error={error} />
      {data === undefined || data.last_hash === null ? null : (
        <CopyField label={text("lastHash")} value={data.last_hash} description={text("lastHashText")} />
      )}
    </section>
  );
}
