// The interface of the parts of a clock item.

/** A part of a clock that shows the time or the date. */
export interface Face {
  readonly element: Element;
  showTime(instant: number): void;
  /** Shows the longest text that it will ever show, so that its size can be measured. */
  showLongest(instant: number): void;
  /** The texts of a whole round of its parts, which have all of its letters. */
  textsFrom(instant: number): string[];
}
