// The emergencies that are on, above everything else on the page, with the one button that ends them all.
import { useMutation } from "@tanstack/react-query";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { Arrival } from "../show/arrival.tsx";
import { momentText } from "../show/running-shows.tsx";
import { stopShow, type ShowEntry } from "../show/shows.ts";

const text = texts("takeover");

export function RunningEmergencies({ emergencies }: { emergencies: readonly ShowEntry[] }) {
  const isAllowed = [useMay("schedules:write"), useMay("commands:write")].every((may) => may);
  const clearing = useMutation({
    mutationFn: () => Promise.all(emergencies.map(stopShow)),
    onSuccess: () => showToast({ message: text("allClearDone") }),
  });
  if (emergencies.length === 0) return null;
  const count = Math.max(...emergencies.map(({ player_count }) => player_count));
  return (
    <section className="emergency-running stack gap-4 pad-5 rounded-l bad-ground" aria-labelledby="emergency-running">
      <div className="emergency-head cluster gap-4">
        <Icon name="siren" />
        <div className="emergency-facts shrink break-words">
          <h2 id="emergency-running">{text("emergencyRunning", { count })}</h2>
          {emergencies.map(({ id, name, ends_at, created_by }) => (
            <p key={id}>
              {text("emergencySince", {
                name,
                until: ends_at === null ? text("untilClear") : text("untilTime", { time: momentText(ends_at) }),
                by: created_by?.name ?? "none",
              })}
            </p>
          ))}
        </div>
        {isAllowed ? (
          <Button kind="danger" isPending={clearing.isPending} onPress={() => clearing.mutate()}>
            {text("allClear")}
          </Button>
        ) : null}
      </div>
      <ProblemMessage error={clearing.error} />
      {emergencies.map(({ id }) => (
        <Arrival key={id} showId={id} />
      ))}
    </section>
  );
}
