// What is checked about the layout of every page: that nothing is cut off or lies over other text on a small or enlarged page, and that
// everything that can be pressed is large enough for a finger.
import type { Page } from "playwright";
import { sideways } from "./page-checks.ts";
import { overflowing } from "./texts-of-page.ts";

/** The narrowest phone, and a laptop's page at 200 %. Enlarging a page gives it fewer pixels of its own: its layout is that of a smaller window. */
const tight = [
  { name: "at 320 px", width: 320, height: 640 },
  { name: "at 200 %", width: 640, height: 400 },
];

/** The sizes of targets, in CSS pixels. */
export const leastTarget = { finger: 40, mouse: 24 };

/** What is wrong with the page of an address where there is little room. The page is left small. */
export async function faultsInTightPlaces(page: Page, address: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, ...size } of tight) {
    await page.setViewportSize(size);
    const wide = await sideways(page);
    if (wide !== 0) found.push(`${address} scrolls sideways by ${String(wide)} px ${name}`);
    found.push(...(await overflowing(page)).map((text) => `${address} ${name}: ${text}`));
    found.push(...(await overlapping(page)).map((text) => `${address} ${name}: ${text}`));
  }
  return found;
}

/** Texts that lie over each other. What stays at its place while the page scrolls is above the rest on purpose. */
async function overlapping(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === "" || element.closest("script, style, .visually-hidden, .skip-link") !== null) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const clips = [];
      let isAbove = false;
      for (let each = element; each !== null && each !== document.body; each = each.parentElement) {
        const { position, overflowX, overflowY } = getComputedStyle(each);
        isAbove ||= position === "fixed" || position === "sticky";
        if (overflowX === "visible" && overflowY === "visible") continue;
        clips.push(each.getBoundingClientRect());
      }
      if (isAbove) continue;
      // A text has a rectangle for each of its lines.
      for (const line of range.getClientRects()) {
        const [left, top] = [Math.max(line.left, ...clips.map((clip) => clip.left)), Math.max(line.top, ...clips.map((clip) => clip.top))];
        const [right, bottom] = [Math.min(line.right, ...clips.map((clip) => clip.right)), Math.min(line.bottom, ...clips.map((clip) => clip.bottom))];
        if (right - left > 2 && bottom - top > 2) texts.push({ text: node.data.trim().slice(0, 40), element, left, top, right, bottom });
      }
    }
    const found = [];
    for (const [index, one] of texts.entries())
      for (const other of texts.slice(index + 1)) {
        const [width, height] = [Math.min(one.right, other.right) - Math.max(one.left, other.left), Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)];
        // Lines of one paragraph may touch.
        if (width > 3 && height > 4 && !one.element.contains(other.element) && !other.element.contains(one.element))
          found.push(JSON.stringify(one.text) + " and " + JSON.stringify(other.text) + " lie over each other");
      }
    return found;
  })()`)) as string[];
}

/** What can be pressed, and is smaller than `least` pixels in one direction. Links within a sentence are as high as its line. */
export async function smallTargets(page: Page, least: number): Promise<string[]> {
  return (await page.evaluate(`((least) => {
    const found = [];
    const wanted = "button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem], [role=slider]";
    for (const element of document.querySelectorAll(wanted)) {
      if (element.matches("[type=hidden], [type=file], .skip-link, [tabindex='-1'][aria-hidden=true]") || element.closest("[inert], [aria-hidden=true]") !== null) continue;
      const isDrawn = (each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().width > 2;
      // A box to tick is drawn by its label, and pressed there.
      const target = element.matches("input[type=checkbox], input[type=radio], input[type=range]") ? (element.closest("label") ?? element) : element;
      let isClipped = false;
      for (let each = target; each !== null; each = each.parentElement) isClipped ||= getComputedStyle(each).clipPath === "inset(50%)";
      if (!isDrawn(target) || isClipped) continue;
      const { display } = getComputedStyle(target);
      const isInSentence = element.matches("a, button") && display.startsWith("inline") && [...target.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
      if (isInSentence) continue;
      const { width, height } = target.getBoundingClientRect();
      if (width >= least - 0.5 && height >= least - 0.5) continue;
      // Its hit area may be larger than what is drawn.
      target.scrollIntoView({ block: "center", inline: "center" });
      const box = target.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const reach = least / 2 - 1;
      const isHit = (dx, dy) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit !== null && (target.contains(hit) || hit.closest("label")?.contains(element) === true);
      };
      const [isWide, isHigh] = [width >= least - 0.5 || (isHit(-reach, 0) && isHit(reach, 0)), height >= least - 0.5 || (isHit(0, -reach) && isHit(0, reach))];
      if (isWide && isHigh) continue;
      const name = element.getAttribute("aria-label") ?? target.textContent.trim().slice(0, 40);
      found.push(target.tagName.toLowerCase() + "." + [...target.classList].join(".") + " " + JSON.stringify(name) + " has " + Math.round(width) + " × " + Math.round(height) + " px");
    }
    scrollTo(0, 0);
    return [...new Set(found)];
  })(${least})`)) as string[];
}
