// The steps that can be undone and redone. Immutable: every step has the state before it and its label.

/** The label of a step, and the token by which the next one of the same kind joins it. */
export interface StepInfo<L> {
  label: L;
  /** Steps with the same token that follow each other quickly, such as those of a pressed arrow key, are one. */
  token?: string;
  /** When it was done, ms. */
  at: number;
}

interface Step<T, L> extends StepInfo<L> {
  state: T;
}

export interface History<T, L> {
  past: readonly Step<T, L>[];
  present: T;
  future: readonly Step<T, L>[];
}

const mostSteps = 200;
const sameStepMs = 1_000;

export function beginHistory<T, L>(present: T): History<T, L> {
  return { past: [], present, future: [] };
}

/** Does a step. Undone steps can no longer be redone. */
export function step<T, L>(history: History<T, L>, next: T, info: StepInfo<L>): History<T, L> {
  const last = history.past.at(-1);
  const continues = last !== undefined && info.token !== undefined && last.token === info.token && info.at - last.at < sameStepMs;
  if (continues && history.future.length === 0) return { past: history.past.with(-1, { ...last, at: info.at }), present: next, future: [] };
  return { past: [...history.past, { ...info, state: history.present }].slice(-mostSteps), present: next, future: [] };
}

/** Takes the last step back; the same history if there is none. */
export function undo<T, L>(history: History<T, L>): History<T, L> {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  return { past: history.past.slice(0, -1), present: last.state, future: [{ ...last, state: history.present }, ...history.future] };
}

/** Does the step again that was taken back last. */
export function redo<T, L>(history: History<T, L>): History<T, L> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  // It is over: an arrow key that is pressed now begins a step of its own.
  const { token: _over, ...done } = next;
  return { past: [...history.past, { ...done, state: history.present }], present: next.state, future };
}

/** Changes all states, such as when somebody else's change becomes part of all of them. */
export function mapHistory<T, L>(history: History<T, L>, change: (state: T) => T): History<T, L> {
  const apply = (each: Step<T, L>): Step<T, L> => ({ ...each, state: change(each.state) });
  return { past: history.past.map(apply), present: change(history.present), future: history.future.map(apply) };
}
