// A full-screen layer with a text screen, such as the pairing screen: redraws it in place and reports the screen shown.
import type { Screen } from "../../../src/protocol/scene.ts";
import { fontsSettled } from "../fonts/load-fonts.ts";
import type { Layer, PageContext } from "../page.ts";

/** The data of one kind of screen. */
export type ScreenOf<Is extends Screen["is"]> = Extract<Screen, { is: Is }>;

/** A text screen. */
export interface View<Is extends Screen["is"]> {
  readonly is: Is;
  readonly element: HTMLElement;
  draw(screen: ScreenOf<Is>): void;
  dispose(): void;
}

/** The layer that shows a text screen. */
export class ScreenLayer<Is extends Screen["is"]> implements Layer {
  readonly element: HTMLElement;
  readonly #page: PageContext;
  readonly #view: View<Is>;
  #screen: Screen | null = null;
  #state: { is: "hidden" } | { is: "shown"; reportedCode: string | null } = { is: "hidden" };

  constructor(page: PageContext, view: View<Is>) {
    this.#page = page;
    this.#view = view;
    this.element = view.element;
  }

  /** Resolves when the fonts of its texts are loaded, or cannot be. */
  get ready(): Promise<void> {
    return fontsSettled(this.element).then(() => {});
  }

  update(screen: Screen): boolean {
    if (!isKind(screen, this.#view.is)) return false;
    this.#view.draw(screen);
    this.#screen = screen;
    if (this.#state.is === "shown" && codeOf(screen) !== this.#state.reportedCode) void this.#reportWhenPresented();
    return true;
  }

  onPresented(at: Promise<number>): void {
    if (this.#screen === null) return;
    const code = codeOf(this.#screen);
    this.#state = { is: "shown", reportedCode: code };
    this.#page.reportPresented({ type: "screen", is: this.#view.is, code }, at);
  }

  dispose(): void {
    this.#view.dispose();
    this.element.remove();
  }

  async #reportWhenPresented(): Promise<void> {
    const { clock, frames, presentation } = this.#page;
    await frames.next();
    this.onPresented(presentation.timeOfCurrentFrame().then((time) => clock.toWallTime(time)));
  }
}

function isKind<Is extends Screen["is"]>(screen: Screen, is: Is): screen is ScreenOf<Is> {
  return screen.is === is;
}

function codeOf(screen: Screen): string | null {
  return screen.is === "pairing" ? screen.code : null;
}
