// The page from which something is put on screens for a time, with the shows that are on now.
import "../../ui/form-columns.css";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { assetQuery } from "../../data/assets.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import type { Draft } from "./draft.ts";
import { RunningShows } from "./running-shows.tsx";
import { SentShow } from "./sent.tsx";
import { ShowFields } from "./show-fields.tsx";
import { isTakeover } from "./shows.ts";
import { useShow } from "./use-show.ts";
import "./show.css";

const text = texts("show");

export function ShowPage() {
  const may = useMay("schedules:write");
  return (
    <Page title={text("title")}>
      <div className="show-columns grid top gap-6">
        {may ? (
          <div className="card show-form stack gap-5 shrink">
            <p className="faint">{text("lead")}</p>
            <Prefilled />
          </div>
        ) : null}
        <section className="stack gap-4 shrink" aria-labelledby="running">
          <h2 id="running">{text("running")}</h2>
          <RunningShows filter={(show) => !isTakeover(show)} empty={text("runningEmpty")} />
        </section>
      </div>
    </Page>
  );
}

/** The form with the file, screens and tags in the address. */
function Prefilled() {
  const { asset, players = [], tags = [] } = useSearch({ strict: false }) as { asset?: string; players?: string[]; tags?: string[] };
  const read = useQuery({ ...assetQuery(asset ?? ""), enabled: asset !== undefined });
  const [round, setRound] = useState(0);
  if (asset !== undefined && read.data === undefined) return <ProblemMessage error={read.error} />;
  const initial = { target: { players, tags }, ...(read.data === undefined ? {} : { asset: read.data }) };
  return <Form key={round} initial={round === 0 ? initial : {}} onAgain={() => setRound(round + 1)} />;
}

function Form({ initial, onAgain }: { initial: Partial<Draft>; onAgain: () => void }) {
  const form = useShow(initial);
  const { sending, outlook, isComplete } = form;
  const { data: runningShow } = sending;
  if (runningShow !== undefined)
    return (
      <SentShow
        show={runningShow}
        title={text("sent", { name: runningShow.name })}
        stop={text("stop")}
        doneLabel={text("done")}
        onDone={onAgain}
      />
    );
  return (
    <>
      <ShowFields form={form} />
      <div className="form-end cluster end gap-3">
        {isComplete ? null : <p className="faint grow">{text("missing")}</p>}
        <Button kind="primary" isDisabled={!isComplete} isPending={sending.isPending} onPress={() => sending.mutate()}>
          {text("show", { count: isComplete ? (outlook?.player_count ?? 0) : 0 })}
        </Button>
      </div>
    </>
  );
}
