// Decides which waiting task runs next: a few at once, fair between lanes.

/** The properties of a task that determine its turn. */
export interface QueuedTask {
  /** The owner of the file: a team, or a team's devices. */
  lane: string;
  /** True if a person waits for the result, unlike for a thumbnail. */
  isUrgent: boolean;
}

// One lane may run two tasks. The third place is for another lane, so that no team's files occupy all places.
const maxAtOnce = 3;
const maxOfLane = 2;

export class TaskQueue<Task extends QueuedTask> {
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Task>();
  /** The number of the last started task of each lane. */
  readonly #lastStart = new Map<string, number>();
  #startCount = 0;

  get runningCount(): number {
    return this.#running.size;
  }

  add(task: Task): void {
    this.#waiting.push(task);
  }

  /** The next task that may run now, counted as running until {@link finish}; null when there is none. */
  startNext(): Task | null {
    const task = this.#running.size < maxAtOnce ? this.#pick() : null;
    if (task === null) return null;
    this.#waiting.splice(this.#waiting.indexOf(task), 1);
    this.#running.add(task);
    if (this.#waiting.length === 0) this.#lastStart.clear();
    this.#lastStart.set(task.lane, (this.#startCount += 1));
    return task;
  }

  finish(task: Task): void {
    this.#running.delete(task);
  }

  /** Removes and returns all waiting tasks. */
  removeWaiting(): Task[] {
    return this.#waiting.splice(0);
  }

  /** Urgent tasks come first, then the lane with the fewest running tasks, then the lane whose last start is the oldest. */
  #pick(): Task | null {
    let best: { task: Task; rank: readonly number[] } | null = null;
    for (const task of this.#waiting) {
      const running = [...this.#running].filter(({ lane }) => lane === task.lane).length;
      // A task that is not urgent leaves one place of its lane to the next upload.
      if (running >= (task.isUrgent ? maxOfLane : 1)) continue;
      const rank = [task.isUrgent ? 0 : 1, running, this.#lastStart.get(task.lane) ?? 0];
      if (best === null || isBefore(rank, best.rank)) best = { task, rank };
    }
    return best?.task ?? null;
  }
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place !== -1 && a[place]! < b[place]!;
}
