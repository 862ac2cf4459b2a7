// Finds the largest font size at which a text fits its box without breaking words, and truncates a text that fits at none.

const minFontSize = 4;
/** The properties of a text that was truncated. */
const truncating = ["display", "-webkit-box-orient", "-webkit-line-clamp", "overflow"];

/** The result: the font size in layout pixels, and whether the whole text is inside its box. */
export interface FitResult {
  size: number;
  isWhole: boolean;
}

/**
 * Sets the largest font size, in whole pixels from `min` to `max`, at which `content` fits into `box`. A word is broken
 * only if it is wider than the box even at the minimum size.
 */
export function fitText(content: HTMLElement, box: HTMLElement, max: number, min = minFontSize): FitResult {
  const { style } = content;
  for (const name of truncating) style.removeProperty(name);
  style.fontSize = `${min}px`;
  const maySplit = widestWordIn(content) > box.clientWidth;
  style.overflowWrap = maySplit ? "" : "normal";
  const isInside = (): boolean => content.scrollWidth <= box.clientWidth && content.offsetHeight <= box.clientHeight;
  const isWhole = isInside();
  let fits = min;
  let tooLarge = Math.max(min + 1, Math.ceil(max) + 1);
  while (tooLarge - fits > 1) {
    const size = Math.floor((fits + tooLarge) / 2);
    style.fontSize = `${size}px`;
    if ((maySplit || widestWordIn(content) <= box.clientWidth) && isInside()) fits = size;
    else tooLarge = size;
  }
  style.fontSize = `${fits}px`;
  return { size: fits, isWhole };
}

/**
 * Sets a text in the preferred size, or smaller where it does not fit, down to half of it. A text that does not fit at
 * half the size keeps its first lines and ends in an ellipsis.
 */
export function fitTextOfSize(content: HTMLElement, box: HTMLElement, preferredSize: number): FitResult {
  content.style.fontSize = `${preferredSize}px`;
  const oneLine = Math.floor((box.clientHeight * preferredSize) / Math.max(1, lineHeightOf(content)));
  const min = Math.min(preferredSize, Math.max(minFontSize, Math.min(Math.floor(preferredSize / 2), oneLine)));
  return truncateIfNeeded(content, box, fitText(content, box, preferredSize, min));
}

/** Like {@link fitText}; a text that does not fit at the minimum size keeps its first lines and ends in an ellipsis. */
export function fitOrTruncateText(content: HTMLElement, box: HTMLElement, max: number): FitResult {
  return truncateIfNeeded(content, box, fitText(content, box, max));
}

function truncateIfNeeded(content: HTMLElement, box: HTMLElement, fit: FitResult): FitResult {
  if (fit.isWhole) return fit;
  const lines = Math.max(1, Math.floor(box.clientHeight / Math.max(1, lineHeightOf(content))));
  const { style } = content;
  style.display = "-webkit-box";
  style.setProperty("-webkit-box-orient", "vertical");
  style.setProperty("-webkit-line-clamp", String(lines));
  style.overflow = "hidden";
  return fit;
}

function lineHeightOf(content: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(content).lineHeight);
}

/** The width of the widest word in layout pixels. `scrollWidth` leaves out the overflow at the start of a line. */
function widestWordIn(content: HTMLElement): number {
  content.style.width = "min-content";
  const width = content.offsetWidth;
  content.style.width = "";
  return width;
}
