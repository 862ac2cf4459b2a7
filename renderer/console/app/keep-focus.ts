// Keeps the focus when its element disappears, such as a row that was deleted: it goes to the nearest thing that can be pressed.
// Browsers leave it nowhere; a person with a keyboard then begins again at the top of the page.

/** Not fields: on a phone they would bring up its keyboard, and some open a list. */
const pressable = "a[href], button:not(:disabled), [role=row][tabindex], [role=tab], [role=gridcell][tabindex]";

/** Where something is: the elements that contain it, the innermost first, and how many pressable ones of each come before it. */
type Trail = readonly { within: Element; before: number }[];

/** Watches until `signal` aborts. */
export function keepFocus(signal: AbortSignal): void {
  let lastFocus: Element | null = null;
  let trail: Trail = [];
  /** The same for the element that had the focus on the page below a dialog or menu. */
  let onPage: Trail = [];
  let isChecking = false;
  const note = (target: Element): void => {
    lastFocus = target;
    trail = trailOf(target);
    if (target.closest("#content, .shell-side") !== null) onPage = trail;
  };
  const check = (): void => {
    isChecking = false;
    // The code that removed the element may have moved the focus in the meantime.
    if (signal.aborted || lastFocus === null || lastFocus.isConnected || !isLost()) return;
    lastFocus = null;
    const heading = document.querySelector<HTMLElement>("#content h1") ?? document.querySelector<HTMLElement>("#content");
    (nearestOf(trail) ?? nearestOf(onPage) ?? heading)?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(() => {
    if (isChecking || lastFocus === null || lastFocus.isConnected || !isLost()) return;
    isChecking = true;
    // Dialogs give the focus back in the second frame after they have closed.
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(check)));
  });
  observer.observe(document.body, { childList: true, subtree: true });
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  document.addEventListener("focusin", ({ target }) => (target instanceof Element ? note(target) : undefined), { signal });
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function trailOf(target: Element): Trail {
  const trail: { within: Element; before: number }[] = [];
  for (let within = target.parentElement; within !== null && within !== document.body; within = within.parentElement) {
    const all = [...within.querySelectorAll(pressable)];
    const before = all.filter((each) => (each.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0).length;
    trail.push({ within, before });
    if (within.id === "content") break;
  }
  return trail;
}

function nearestOf(trail: Trail): HTMLElement | null {
  for (const { within, before } of trail) {
    if (!within.isConnected) continue;
    const all = [...within.querySelectorAll<HTMLElement>(pressable)].filter((each) => each.tabIndex >= 0 && each.checkVisibility());
    const candidate = all[Math.min(before, all.length - 1)];
    if (candidate !== undefined) return candidate;
  }
  return null;
}
