// Runs one act of a person: says that it is done, and reads the changed resources again.
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { ProblemError } from "../../../sdk/typescript/client.ts";
import { showFailure, showToast, type Toast } from "../ui/toasts.tsx";

interface Act<R, V> {
  run: (variables: V) => Promise<R>;
  /** The first parts of the query keys that become old. */
  changes: readonly string[];
  /** The message afterwards; none if omitted. */
  toast?: (result: R, variables: V) => Toast;
  after?: (result: R, variables: V) => void;
  /** The caller shows errors itself, such as in a dialog. Otherwise a message appears. */
  showsErrors?: boolean;
}

export function useAct<R, V = void>({ run, changes, toast, after, showsErrors = false }: Act<R, V>): UseMutationResult<R, Error, V> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (result, variables) => {
      for (const key of changes) void queries.invalidateQueries({ queryKey: [key] });
      if (toast !== undefined) showToast(toast(result, variables));
      after?.(result, variables);
    },
    onError: (error) => {
      // The person was asked for their password, and did not want to give it.
      const isDropped = error instanceof ProblemError && error.kind === "proof-required";
      if (!showsErrors && !isDropped) showFailure(error);
    },
  });
}
