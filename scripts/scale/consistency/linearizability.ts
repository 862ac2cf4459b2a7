// Decides whether a history of concurrent operations on one object is linearizable: by Wing and Gong, with Lowe's memoisation
// ("Testing for Linearizability", 2017). Pure.

/** An operation of a history. Times are of one clock. */
export interface Operation<I, O> {
  input: I;
  /** Null: it is not known whether it was carried out. It may have been at any time after its call, or never. */
  output: O | null;
  calledAt: number;
  /** When the answer came; infinite if there was none. */
  returnedAt: number;
}

/** An object as it would be if operations came one at a time. */
export interface Model<S, I, O> {
  initial: S;
  /**
   * The state after the operation; null if it cannot have this output in this state. Without an output it tells what happens if the
   * operation is carried out.
   */
  step: (state: S, input: I, output: O | null) => S | null;
  /** Equal for equal states only. */
  keyOf: (state: S) => string;
}

/** The longest order of operations that was found to be possible, for a message; `isLinearizable` if it holds all that were answered. */
export interface Verdict<I, O> {
  isLinearizable: boolean;
  longest: Operation<I, O>[];
}

/** A call or a return in a doubly linked list in the order of time. */
interface Entry<I, O> {
  place: number;
  operation: Operation<I, O>;
  /** Of a call: its return. Of a return: null. */
  returned: Entry<I, O> | null;
  previous: Entry<I, O> | null;
  next: Entry<I, O> | null;
}

/** Whether there is an order in which each operation takes effect between its call and its return. */
export function checkLinearizability<S, I, O>(history: readonly Operation<I, O>[], model: Model<S, I, O>): Verdict<I, O> {
  const head = linkedEntries(history);
  const answered = history.filter(({ output }) => output !== null).length;
  const done = new Set<number>();
  const tried = new Set<string>();
  const chosen: { entry: Entry<I, O>; before: S }[] = [];
  let state = model.initial;
  let longest: Operation<I, O>[] = [];
  let doneAnswered = 0;
  let entry = head.next;
  while (doneAnswered < answered) {
    if (entry === null || entry.returned === null) {
      // A return of an operation that could not be placed: another order of the earlier ones has to be tried.
      const last = chosen.pop();
      if (last === undefined) return { isLinearizable: false, longest };
      done.delete(last.entry.place);
      if (last.entry.operation.output !== null) doneAnswered -= 1;
      state = last.before;
      putBack(last.entry);
      entry = last.entry.next;
      continue;
    }
    const { input, output } = entry.operation;
    const after = model.step(state, input, output);
    // An unanswered operation that changes nothing here might as well have been carried out never.
    const isIdle = after !== null && output === null && model.keyOf(after) === model.keyOf(state);
    if (after !== null && !isIdle && isNew(tried, done, entry.place, model.keyOf(after))) {
      chosen.push({ entry, before: state });
      state = after;
      done.add(entry.place);
      if (output !== null) doneAnswered += 1;
      takeOut(entry);
      if (chosen.length > longest.length) longest = chosen.map(({ entry: { operation } }) => operation);
      entry = head.next;
    } else {
      entry = entry.next;
    }
  }
  return { isLinearizable: true, longest };
}

/** Whether this set of operations has not led to this state before. */
function isNew(tried: Set<string>, done: ReadonlySet<number>, place: number, state: string): boolean {
  const key = `${compact(done, place)} ${state}`;
  if (tried.has(key)) return false;
  tried.add(key);
  return true;
}

/** Names a set of places, most of which are the first ones: how many of those there are, and the others. */
function compact(done: ReadonlySet<number>, added: number): string {
  const has = (place: number): boolean => place === added || done.has(place);
  let whole = 0;
  while (has(whole)) whole += 1;
  const others = [...done, added].filter((place) => place > whole).toSorted((a, b) => a - b);
  return `${whole}:${others.join()}`;
}

/** The calls and returns of a history in the order of time, behind an entry of no operation. */
function linkedEntries<I, O>(history: readonly Operation<I, O>[]): Entry<I, O> {
  const calls = history.toSorted((a, b) => a.calledAt - b.calledAt);
  const entries = calls.flatMap((operation, place) => {
    const blank = { place, operation, previous: null, next: null };
    const returned: Entry<I, O> = { ...blank, returned: null };
    // What was not answered may take effect at any later time.
    const returnedAt = operation.output === null ? Number.POSITIVE_INFINITY : operation.returnedAt;
    return [
      { at: operation.calledAt, isReturn: false, entry: { ...blank, returned } },
      { at: returnedAt, isReturn: true, entry: returned },
    ];
  });
  // At the same instant the call counts as earlier: the operations may then have been concurrent.
  entries.sort((a, b) => (a.at === b.at ? Number(a.isReturn) - Number(b.isReturn) : a.at - b.at));
  const head = { place: -1, previous: null, next: null, returned: null } as unknown as Entry<I, O>;
  let last = head;
  for (const { entry } of entries) {
    last.next = entry;
    entry.previous = last;
    last = entry;
  }
  return head;
}

/** Takes a call and its return out of the list. Both keep their neighbours, by which they are put back. */
function takeOut<I, O>(call: Entry<I, O>): void {
  for (const entry of [call, call.returned!]) {
    entry.previous!.next = entry.next;
    if (entry.next !== null) entry.next.previous = entry.previous;
  }
}

/** The reverse of {@link takeOut}, in the reverse order. */
function putBack<I, O>(call: Entry<I, O>): void {
  for (const entry of [call.returned!, call]) {
    entry.previous!.next = entry;
    if (entry.next !== null) entry.next.previous = entry;
  }
}
