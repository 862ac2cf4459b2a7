// The changes of a person, to undo and redo them. Undoing takes back their own change only: later changes of others stay. Pure.
import { merge } from "./merge.ts";
import type { Row } from "./rows.ts";

/** One change. */
export interface Step {
  before: readonly Row[];
  after: readonly Row[];
  /** Changes with the same words that follow each other are one, such as those of typing into a field. */
  joins?: string | undefined;
}

export interface History {
  past: readonly Step[];
  future: readonly Step[];
}

export const emptyHistory: History = { past: [], future: [] };
const mostSteps = 200;

/** The history with one change more. Undone changes can no longer be done again. */
export function record({ past }: History, step: Step): History {
  const last = past.at(-1);
  const isContinued = last?.joins !== undefined && last.joins === step.joins && last.after === step.before;
  const next = isContinued ? [...past.slice(0, -1), { ...step, before: last.before }] : [...past, step];
  return { past: next.slice(-mostSteps), future: [] };
}

/** Ends the step that typing extends: the next change is a step of its own. */
export function endStep(history: History): History {
  const last = history.past.at(-1);
  return last?.joins === undefined ? history : { ...history, past: [...history.past.slice(0, -1), { ...last, joins: undefined }] };
}

/** The rows without the last change, and the history then; null: there is none. */
export function undoStep({ past, future }: History, rows: readonly Row[]): { rows: readonly Row[]; history: History } | null {
  const step = past.at(-1);
  if (step === undefined) return null;
  return { rows: back(step.after, step.before, rows), history: { past: past.slice(0, -1), future: [step, ...future] } };
}

/** The rows with the change that was undone last, and the history then; null: there is none. */
export function redoStep({ past, future }: History, rows: readonly Row[]): { rows: readonly Row[]; history: History } | null {
  const [step, ...others] = future;
  if (step === undefined) return null;
  return { rows: back(step.before, step.after, rows), history: { past: [...past, step], future: others } };
}

function back(from: readonly Row[], to: readonly Row[], rows: readonly Row[]): readonly Row[] {
  return rows === from ? to : merge(from, to, rows).rows;
}
