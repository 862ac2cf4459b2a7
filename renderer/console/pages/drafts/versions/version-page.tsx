// A version: its changes, where it has arrived, and going back to it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../../data/session.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Arrival } from "../arrival.tsx";
import { newestVersionQuery, versionQuery, type Restoration } from "../drafts.ts";
import { VersionChanges } from "./version-changes.tsx";
import { RestoreDialog } from "./restore-dialog.tsx";
import { peopleOf, titleOf } from "./words.ts";
import "../drafts.css";

const text = texts("versions");

export function VersionPage() {
  const { number } = useParams({ strict: false }) as { number: string };
  const { data, error } = useQuery(versionQuery(number));
  const { data: newest } = useQuery(newestVersionQuery);
  const mayRestore = useMay("versions:write");
  const [restoration, setRestoration] = useState<Restoration | null>(null);
  const isNewest = newest === Number(number);
  return (
    <Page
      title={text("version", { number })}
      actions={
        data === undefined || isNewest || !mayRestore ? undefined : (
          <Button kind="primary" onPress={() => setRestoration({ number: Number(number), only: null })}>
            {text("goBack")}
          </Button>
        )
      }
    >
      <div className="cluster between gap-2-4 near-title">
        <Link to="/versions" className="inline-row medium tap">
          {text("all")}
        </Link>
        {data === undefined ? null : (
          <p className="faint draft-facts-line cluster gap-1-3 small">
            {isNewest ? (
              <span className="badge" data-kind="good">
                {text("now")}
              </span>
            ) : null}
            <span>{formatDateTime(new Date(data.created_at))}</span>
            <span>{peopleOf(data)}</span>
          </p>
        )}
      </div>
      <ProblemMessage error={error} />
      {data === undefined ? null : (
        <>
          {data.note === null && data.restored_from === null ? null : <p className="effect-sentence">{titleOf(data)}</p>}
          {isNewest ? <Arrival number={data.number} /> : null}
          <VersionChanges version={data} onRestore={isNewest || !mayRestore ? null : setRestoration} />
        </>
      )}
      {restoration === null ? null : <RestoreDialog restoration={restoration} onClose={() => setRestoration(null)} />}
    </Page>
  );
}
