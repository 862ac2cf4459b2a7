// Finds the largest font size at which a text still fits its box, whole words on every line, and cuts what fits at none.

const smallest = 4;

/** How a text came out: its size in layout pixels, and whether all of it is inside its box. */
export interface FitResult {
  size: number;
  isWhole: boolean;
}

/**
 * Sets the largest font size, in whole pixels from `least` to `largest`, at which `content` overflows `box` nowhere.
 * Words stay whole; only where one alone is wider than the box at the least size is it broken.
 */
export function fitText(content: HTMLElement, box: HTMLElement, largest: number, least = smallest): FitResult {
  const { style } = content;
  style.fontSize = `${least}px`;
  const maySplit = widestWord(content) > box.clientWidth;
  style.overflowWrap = maySplit ? "" : "normal";
  const isInside = (): boolean => content.scrollWidth <= box.clientWidth && content.offsetHeight <= box.clientHeight;
  const isWhole = isInside();
  let fits = least;
  let tooLarge = Math.max(least + 1, Math.ceil(largest) + 1);
  while (tooLarge - fits > 1) {
    const size = Math.floor((fits + tooLarge) / 2);
    style.fontSize = `${size}px`;
    if ((maySplit || widestWord(content) <= box.clientWidth) && isInside()) fits = size;
    else tooLarge = size;
  }
  style.fontSize = `${fits}px`;
  return { size: fits, isWhole };
}

/**
 * Sets a text no larger than asked for, and smaller where it does not fit: down to half, so that a size that was chosen
 * is still recognised. What does not even fit then keeps its first lines and ends in an ellipsis.
 */
export function fitTextOfSize(content: HTMLElement, box: HTMLElement, asked: number): FitResult {
  content.style.fontSize = `${asked}px`;
  const oneLine = Math.floor((box.clientHeight * asked) / Math.max(1, lineHeightOf(content)));
  const least = Math.min(asked, Math.max(smallest, Math.min(Math.floor(asked / 2), oneLine)));
  return cutWhereNeeded(content, box, fitText(content, box, asked, least));
}

/** As {@link fitText}; what does not fit at the least size keeps its first lines and ends in an ellipsis. */
export function fitOrCutText(content: HTMLElement, box: HTMLElement, largest: number): FitResult {
  return cutWhereNeeded(content, box, fitText(content, box, largest));
}

function cutWhereNeeded(content: HTMLElement, box: HTMLElement, fit: FitResult): FitResult {
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

/** In layout pixels, whichever way the words run: what overflows at a line's start is in no `scrollWidth`. */
function widestWord(content: HTMLElement): number {
  content.style.width = "min-content";
  const width = content.offsetWidth;
  content.style.width = "";
  return width;
}
