// The page from which a person takes over screens now, ends that, and, apart from it, begins and ends an emergency.
//
// A takeover is a show (`POST /show`) of the highest priority, not an `override.set` command: a schedule reaches a screen that was
// offline whenever it returns, ends everywhere at the same time, includes screens that get the tag later, and is ended by one request,
// after which no screen shows it any more. An override that arrives late lasts for its whole duration. No schedule outranks other
// overrides and pauses: for that, an emergency has an override besides, which the service sends with `emergency: true`.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RunningShows } from "../show/running-shows.tsx";
import { SentShow } from "../show/sent.tsx";
import { ShowFields } from "../show/show-fields.tsx";
import { isTakeover, liveShowsQuery, takeoverPriority } from "../show/shows.ts";
import { useShow } from "../show/use-show.ts";
import { EmergencyDialog } from "./emergency-dialog.tsx";
import { RunningEmergencies } from "./running-emergencies.tsx";
import "../../ui/form-columns.css";
import "./takeover.css";

const text = texts("takeover");

export function TakeoverPage() {
  const may = useMay("schedules:write");
  const [round, setRound] = useState(0);
  const emergencies = useQuery(liveShowsQuery).data?.filter(({ is_emergency }) => is_emergency) ?? [];
  return (
    <Page title={text("title")}>
      <RunningEmergencies emergencies={emergencies} />
      <div className="show-columns grid top gap-6">
        {may ? (
          <div className="card show-form stack gap-5 shrink">
            <p className="faint">{text("lead")}</p>
            <TakeoverForm key={round} onDone={() => setRound(round + 1)} />
          </div>
        ) : null}
        <div className="stack gap-6 shrink">
          <section className="stack gap-4 shrink" aria-labelledby="taken">
            <h2 id="taken">{text("running")}</h2>
            <RunningShows filter={(show) => isTakeover(show) && !show.is_emergency} empty={text("runningEmpty")} />
          </section>
          <EmergencySection />
        </div>
      </div>
    </Page>
  );
}

function TakeoverForm({ onDone }: { onDone: () => void }) {
  const form = useShow({ kind: "text", look: "blue" }, { priority: takeoverPriority });
  const { sending, outlook, isComplete } = form;
  const { data: runningShow } = sending;
  if (runningShow !== undefined)
    return (
      <SentShow
        show={runningShow}
        title={text("sent", { name: runningShow.name })}
        stop={text("stop")}
        doneLabel={text("another")}
        onDone={onDone}
      />
    );
  return (
    <>
      <ShowFields form={form} kinds={["text", "asset", "layout"]} />
      <div className="form-end cluster end gap-3">
        {isComplete ? null : <p className="faint grow">{text("missing")}</p>}
        <Button kind="primary" isDisabled={!isComplete} isPending={sending.isPending} onPress={() => sending.mutate()}>
          {text("takeOver", { count: isComplete ? (outlook?.player_count ?? 0) : 0 })}
        </Button>
      </div>
    </>
  );
}

function EmergencySection() {
  const [isOpen, setIsOpen] = useState(false);
  const isAllowed = [useMay("schedules:write"), useMay("commands:write")].every((may) => may);
  if (!isAllowed) return null;
  return (
    <section className="emergency-section stack top gap-3 pad-5 surface" aria-labelledby="emergency">
      <h2 className="row gap-2 bad" id="emergency">
        <Icon name="siren" />
        {text("emergencyTitle")}
      </h2>
      <p>{text("emergencyLead")}</p>
      <Button kind="danger" onPress={() => setIsOpen(true)}>
        {text("emergencyOpen")}
      </Button>
      {isOpen ? <EmergencyDialog onClose={() => setIsOpen(false)} /> : null}
    </section>
  );
}
