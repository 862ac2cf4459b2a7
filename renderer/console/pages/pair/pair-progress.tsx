// Follows a screen that was just added: paired, set up, connected, playing. Service and player have reported every step.
import { useQuery, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { ProblemError, type Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";
import { readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { ScreenPreview } from "./screen-preview.tsx";
import type { Plan } from "./set-up.ts";

const text = texts("common", "pair");

interface PairProgressProps {
  playerId: string;
  /** The saving of the choices in the form; idle if there were none, or if the page was loaded again since. */
  settingUp: UseMutationResult<void, Error, { player: Schemas["Player"]; plan: Plan }>;
}

export function PairProgress({ playerId, settingUp }: PairProgressProps) {
  const queries = useQueryClient();
  const heading = useRef<HTMLDivElement>(null);
  const path = { params: { path: { id: playerId } } };
  const { data: player, error } = useQuery({
    queryKey: ["players", playerId],
    queryFn: async () => (await client.get("/api/v1/players/{id}", path)).data,
  });
  const { data: now } = useQuery({
    queryKey: ["players", playerId, "now"],
    queryFn: async () => (await client.get("/api/v1/players/{id}/now", path)).data,
  });
  useEffect(
    () =>
      eventStream.listen((news) => {
        if (news.is === "heartbeat" && news.heartbeat.player_id === playerId)
          void queries.invalidateQueries({ queryKey: ["players", playerId] });
      }),
    [playerId, queries],
  );
  // The form with the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  if (error instanceof ProblemError && error.status === 404) {
    return (
      <Page title={text("title")}>
        <EmptyState icon="screens" title={text("missingScreen")} text={text("missingScreenText")}>
          <AddAnother />
        </EmptyState>
      </Page>
    );
  }
  if (player === undefined) return <ProblemMessage error={error} />;
  const isOnline = player.status === "online";
  const hasContent = player.layout_id !== null || (now?.now_playing.length ?? 0) > 0;
  return (
    <Page title={text("addedTitle", { name: player.name })}>
      <div className="pair grid top gap-6" ref={heading} tabIndex={-1} aria-label={text("addedTitle", { name: player.name })} role="group">
        <div className="stack gap-4 shrink">
          <div className="card form">
            <ol className="stack" role="status" aria-label={text("steps")}>
              <Step name={text("stepPaired")} state="done">
                {text("stepPairedText")}
              </Step>
              {settingUp.isIdle ? null : (
                <Step name={text("stepSetUp")} state={settingUp.isSuccess ? "done" : settingUp.isError ? "failed" : "waiting"}>
                  {settingUp.isError ? (
                    <>
                      <ProblemMessage error={settingUp.error} />
                      <Button size="small" onPress={() => settingUp.mutate(settingUp.variables)}>
                        {text("retry")}
                      </Button>
                    </>
                  ) : (
                    text(settingUp.isSuccess ? "stepSetUpText" : "stepSettingUp")
                  )}
                </Step>
              )}
              <Step name={text("stepConnected")} state={isOnline ? "done" : "waiting"}>
                {text(isOnline ? "stepConnectedText" : "stepConnecting")}
              </Step>
              {hasContent || settingUp.isPending ? (
                <PlayingStep now={now} />
              ) : (
                <Step name={text("stepEmpty")} state="next">
                  {text("stepEmptyText")}
                </Step>
              )}
            </ol>
          </div>
          <div className="pair-actions wrap gap-2">
            {hasContent ? null : (
              <Link to="/show" search={{ players: [player.id] }} className="button" data-kind="primary">
                {text("showSomething")}
              </Link>
            )}
            <Link to="/screens/$id" params={{ id: player.id }} className="button" data-kind={hasContent ? "primary" : "plain"}>
              {text("openScreen")}
            </Link>
            <AddAnother />
          </div>
        </div>
        <aside className="pair-side stack gap-3">
          <ScreenPreview orientation={player.orientation} name={player.name} />
        </aside>
      </div>
    </Page>
  );
}

function AddAnother() {
  return (
    <Link to="/pair" className="button">
      <Icon name="plus" />
      {text("addAnother")}
    </Link>
  );
}

type Now = { now_playing: readonly unknown[]; content: Schemas["ContentState"] | null };

function PlayingStep({ now }: { now: Now | undefined }) {
  const name = text("stepPlaying");
  if ((now?.now_playing.length ?? 0) > 0) {
    return (
      <Step name={name} state="done">
        {text("stepPlayingText")}
      </Step>
    );
  }
  const content = now?.content ?? null;
  if (content?.is === "failed") {
    return (
      <Step name={name} state="failed">
        {text("stepPlayingFailed", { reason: readable(content.detail ?? "") })}
      </Step>
    );
  }
  const isLoading = content?.is === "downloading" && content.total_bytes > 0;
  return (
    <Step name={name} state="waiting">
      {isLoading ? text("stepPlayingLoading", { percent: content.ready_bytes / content.total_bytes }) : text("stepPlayingWaiting")}
    </Step>
  );
}

const stateNames = { done: "stateDone", waiting: "stateWaiting", failed: "stateFailed" } as const;

function Step({ name, state, children }: { name: string; state: "done" | "waiting" | "failed" | "next"; children: ReactNode }) {
  return (
    <li className="pair-step flex gap-3 relative" data-state={state}>
      <span className="pair-step-mark center rigid surface">
        {state === "done" ? <Icon name="check" /> : state === "failed" ? <Icon name="warning" /> : null}
      </span>
      <div className="grow shrink">
        <h2>
          {name}
          {state === "next" ? null : <span className="visually-hidden"> {text(stateNames[state])}</span>}
        </h2>
        <div className="wrap gap-2 soft break-words">{children}</div>
      </div>
    </li>
  );
}
