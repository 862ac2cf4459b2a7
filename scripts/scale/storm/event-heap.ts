// The next events of many players by time: each player has at most one.

export class EventHeap {
  readonly #times: Float64Array;
  readonly #players: Int32Array;
  #size = 0;

  /** @param limit the number of players. */
  constructor(limit: number) {
    this.#times = new Float64Array(limit);
    this.#players = new Int32Array(limit);
  }

  /** The time of the earliest event; infinite: there is none. */
  get nextAt(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  add(at: number, player: number): void {
    let place = this.#size;
    this.#size += 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#times[parent]! <= at) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#set(place, at, player);
  }

  /** Removes the earliest event. @returns its player. @throws RangeError when there is none. */
  take(): number {
    if (this.#size === 0) throw new RangeError("there is no event");
    const player = this.#players[0]!;
    this.#size -= 1;
    const [at, last] = [this.#times[this.#size]!, this.#players[this.#size]!];
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#times[child + 1]! < this.#times[child]!) child += 1;
      if (this.#times[child]! >= at) break;
      this.#move(child, place);
      place = child;
    }
    this.#set(place, at, last);
    return player;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#times[from]!, this.#players[from]!);
  }

  #set(place: number, at: number, player: number): void {
    this.#times[place] = at;
    this.#players[place] = player;
  }
}
