// Counts what a person does: a click, a key or chord, a drop, an answer to the system's file dialog, or typing into one field is one action.

/** What a person has done in one task. */
export class Actions {
  readonly done: string[] = [];

  get count(): number {
    return this.done.length;
  }

  /** @param what in words, for the list of a test that fails */
  async do<T>(what: string, action: Promise<T>): Promise<T> {
    this.done.push(what);
    return action;
  }
}
