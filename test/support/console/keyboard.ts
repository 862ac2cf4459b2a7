// Reaches parts of a page as somebody does who has only a keyboard, and sees whether such a person always knows where they are.
import type { Locator, Page } from "playwright";
import { eventually } from "../polling.ts";

const mostPresses = 150;

/** Presses Tab until `target` has the focus. @throws Error if it never gets it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  // Found once: while a list is open, what is outside of it has no role.
  const element = (await target.elementHandle())!;
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if (await element.evaluate((each) => each.matches(":focus"))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** A person without a mouse. What is wrong with a place of the focus is collected in `faults`, which must stay empty. */
export class KeyboardPerson {
  readonly #page: Page;
  readonly faults: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses keys one after the other, and looks where the focus is after each. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key);
      await this.#look(key);
    }
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Presses keys so quickly after each other that they are one wish, such as `g` and `l`. */
  async go(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /** Goes to `target` by Tab, or by Shift+Tab. @throws Error if it is not reached. */
  async to(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    // An open list hides what is outside of it.
    await target.or(this.#page.getByRole("listbox")).first().waitFor();
    const stops: string[] = [];
    for (let presses = 0; presses < mostPresses; presses += 1) {
      // Looked up once for each press, which takes most of its CPU time.
      if (await target.evaluateAll(([first]) => first?.matches(":focus, :has(> :focus)") ?? false)) return;
      await this.#page.keyboard.press(key);
      stops.push(await this.#look(key));
    }
    throw new Error(`${key} does not lead to ${String(target)}, but to ${stops.slice(-30).join(", ")}`);
  }

  /** Opens the place, thing or action of this name by the search of everything. */
  async find(words: string, title = words): Promise<void> {
    await this.#page.keyboard.press("Control+k");
    const search = this.#page.getByRole("combobox", { name: "Search" });
    await search.waitFor();
    await this.type(words);
    await this.#page.getByRole("option", { name: title, selected: true }).first().waitFor();
    await this.#page.keyboard.press("Enter");
    await search.waitFor({ state: "detached" });
  }

  /** Waits until something has the focus, such as after a dialog has closed. */
  async isSomewhere(): Promise<void> {
    const where = `((active) => active !== null && active !== document.body)(document.activeElement)`;
    const isThere = await eventually(async () => ((await this.#page.evaluate(where)) === true ? "yes" : false)).catch(() => "no");
    if (isThere === "no") this.faults.push("the focus is lost");
  }

  async #look(key: string): Promise<string> {
    const { name, fault } = (await this.#page.evaluate(lookAtFocus)) as { name: string; fault: string | null };
    if (fault !== null) this.faults.push(`after ${key}, at ${name}: ${fault}`);
    return name;
  }
}

// Runs in the page. A change of the style may be a transition, and a list scrolls smoothly: it looks until both are over.
const lookAtFocus = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isMarked = (element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1 && !/^rgba\\(.*, 0\\)$|^transparent$/.test(outlineColor);
  };
  const look = () => {
    const active = document.activeElement;
    const name = active === null ? "nothing" : (active.getAttribute("aria-label") ?? active.textContent ?? "").trim().slice(0, 40) + " <" + active.tagName.toLowerCase() + " " + (active.getAttribute("class") ?? "") + ">";
    // A list of choices is gone through by what is typed, and the field keeps the focus.
    if (active === null || active === document.body) return { name, fault: document.hasFocus() ? "nothing has the focus" : null };
    // They have the focus so that they are read out; nothing can be done with them.
    if (active.matches("h1, main, [role=dialog], [role=alertdialog], [role=listbox], [role=grid]")) return { name, fault: null };
    const isHidden = active.matches("input") && (active.getBoundingClientRect().width <= 2 || active.closest(".visually-hidden, [style*='clip']") !== null || getComputedStyle(active).opacity === "0");
    const label = isHidden ? active.closest("label") : null;
    const candidates = [active, ...(label === null ? [] : [label, ...label.querySelectorAll("*")])];
    for (let parent = active.parentElement, level = 0; parent !== null && level < 4; parent = parent.parentElement, level += 1) candidates.push(parent);
    const isChosen = active.matches("[role=option], [role^=menuitem]") && !/, 0\\)$/.test(getComputedStyle(active).backgroundColor);
    if (!isChosen && !candidates.some(isMarked)) return { name, fault: "nobody sees that it has the focus" };
    const { top, bottom, left, right } = (label ?? active).getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) return { name, fault: "it is out of sight" };
    return { name, fault: null };
  };
  let seen = look();
  for (let frames = 0; frames < 300 && seen.fault !== null; frames += 1) {
    await frame();
    seen = look();
  }
  return seen;
})()`;
