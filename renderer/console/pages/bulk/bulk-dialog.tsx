// The dialog of an action on many screens: the choice of the action, its effect, its progress, and a result for each screen.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import type { BulkAct, Outcome } from "./outcomes.ts";
import { ForecastText } from "./forecast-text.tsx";
import { ResultList } from "./result-list.tsx";

const text = texts("common", "bulk");

export interface BulkDialogProps {
  ids: readonly string[];
  onClose: () => void;
}

interface Props extends BulkDialogProps {
  title: string;
  /** The action; null: none was chosen yet. */
  act: BulkAct | null;
  /** Tells actions apart: the dry run is made again when it changes. */
  actKey: string;
  /** How the forecast says how many screens the action reaches. */
  words: Record<"forecast" | "run", MessageKey<"bulk", { count: number }>>;
  isDangerous?: boolean;
  /** Details of a running action, such as the state of its waves. */
  progress?: ReactNode;
  /** Called when no screen of the action is open any more. */
  onDone?: (done: readonly string[]) => void;
  /** The fields. */
  children: ReactNode;
}

export function BulkDialog({ ids, onClose, title, act, actKey, words, isDangerous = false, progress, onDone, children }: Props) {
  const queries = useQueryClient();
  const dialogId = useId();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome> | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const stopping = useRef<AbortController | null>(null);
  // The requests that follow the action end with the dialog; the action itself goes on at the service.
  useEffect(() => () => stopping.current?.abort(), []);
  const forecast = useQuery({
    queryKey: ["bulk-forecast", dialogId, actKey],
    queryFn: ({ signal }) => act!.forecast(ids, signal),
    enabled: act !== null && outcomes === null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const run = async (some: readonly string[]): Promise<void> => {
    stopping.current?.abort();
    const { signal } = (stopping.current = new AbortController());
    const outcomesById = new Map(outcomes ?? []);
    const take = (news: readonly Outcome[]): void => {
      if (stopping.current?.signal !== signal) return;
      for (const each of news) outcomesById.set(each.id, each);
      setOutcomes(new Map(outcomesById));
    };
    setError(null);
    setIsSending(true);
    take(some.map((id) => ({ id, state: "waiting", reason: null })));
    try {
      await act!.run(some, { signal, onOutcomes: take });
      onDone?.([...outcomesById.values()].filter(({ state }) => state === "done").map(({ id }) => id));
    } catch (failure) {
      setError(failure);
      setOutcomes(null);
    } finally {
      setIsSending(false);
      await queries.invalidateQueries({ queryKey: ["players"] });
    }
  };
  const affectedCount = forecast.data?.affectedCount ?? 0;
  const failures = [...(outcomes?.values() ?? [])].filter(({ state }) => state === "failed");
  const actions =
    outcomes === null ? (
      <>
        <Button onPress={onClose}>{text("cancel")}</Button>
        <Button kind={isDangerous ? "danger" : "primary"} isDisabled={affectedCount === 0} onPress={() => void run(ids)}>
          {text(words.run, { count: affectedCount })}
        </Button>
      </>
    ) : (
      <>
        {isSending ? <Button onPress={() => stopping.current?.abort()}>{text("stop")}</Button> : null}
        {isSending || failures.length === 0 ? null : (
          <Button onPress={() => void run(failures.map(({ id }) => id))}>{text("retryFailed", { count: failures.length })}</Button>
        )}
        <Button kind="primary" isDisabled={isSending} onPress={onClose}>
          {text("close")}
        </Button>
      </>
    );
  return (
    <Dialog title={title} isOpen onClose={onClose} actions={actions}>
      {outcomes === null ? (
        <>
          {children}
          <ProblemMessage error={error} />
          <ForecastText
            isChosen={act !== null}
            isChecking={forecast.isFetching}
            forecast={forecast.data}
            error={forecast.error}
            word={words.forecast}
          />
        </>
      ) : (
        <>
          {progress}
          <ResultList outcomes={[...outcomes.values()]} />
        </>
      )}
    </Dialog>
  );
}
