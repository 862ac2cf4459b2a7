// The state of a form that shows something: the draft, its effect, and sending it.
import { keepPreviousData, useMutation, useQuery, type UseMutationResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { fieldErrorsOf } from "../../ui/problem-message.tsx";
import { emptyDraft, requestOf, type Draft } from "./draft.ts";
import { startShow, tryShow, type NewShow, type Show } from "./shows.ts";

export interface ShowForm {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  /** The effect of the draft; undefined: something is missing, or there is no answer yet. */
  outlook: Show | undefined;
  /** Why it cannot be shown so. */
  error: unknown;
  /** The errors of single fields. */
  errors: Readonly<Record<string, string>>;
  isComplete: boolean;
  sending: UseMutationResult<Show, Error, void>;
}

/** @param requestFields fields of each request besides the draft's, such as the priority of a takeover */
export function useShow(initial: Partial<Draft>, requestFields: Partial<NewShow> = {}): ShowForm {
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, ...initial });
  const draftRequest = useMemo(() => requestOf(draft), [draft]);
  const body = draftRequest === null ? null : { ...draftRequest, ...requestFields };
  // The effect does not depend on the words, so that typing asks the service nothing.
  const dryRunBody = body?.text === undefined ? body : { ...body, text: "…" };
  const outlook = useQuery({
    queryKey: ["shows", "outlook", dryRunBody],
    queryFn: ({ signal }) => tryShow(dryRunBody!, signal),
    enabled: dryRunBody !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const sending = useMutation({
    mutationFn: async () => {
      // Midnight may have passed since the form was filled in.
      const request = requestOf(draft);
      if (request === null) throw new Error("the form is not complete, or its time is over");
      return startShow({ ...request, ...requestFields });
    },
  });
  const error = sending.error ?? (body === null ? null : outlook.error);
  return {
    draft,
    change: (changes) => {
      sending.reset();
      setDraft((before) => ({ ...before, ...changes }));
    },
    outlook: body === null ? undefined : outlook.data,
    error,
    errors: fieldErrorsOf(error),
    isComplete: body !== null,
    sending,
  };
}
