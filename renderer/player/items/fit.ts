// Finds the largest font size at which a text still fits its box, whole words on every line.

const smallest = 4;

/**
 * Sets the largest font size, in whole pixels up to `largest`, at which `content` overflows `box` nowhere. Words stay
 * whole; only where one alone is wider than the box at the least size is it broken.
 */
export function fitText(content: HTMLElement, box: HTMLElement, largest: number): void {
  const { style } = content;
  style.fontSize = `${smallest}px`;
  const maySplit = widestWord(content) > box.clientWidth;
  style.overflowWrap = maySplit ? "" : "normal";
  let fits = smallest;
  let tooLarge = Math.max(smallest + 1, Math.ceil(largest) + 1);
  while (tooLarge - fits > 1) {
    const size = Math.floor((fits + tooLarge) / 2);
    style.fontSize = `${size}px`;
    const isWhole = maySplit || widestWord(content) <= box.clientWidth;
    if (isWhole && content.scrollWidth <= box.clientWidth && content.offsetHeight <= box.clientHeight) fits = size;
    else tooLarge = size;
  }
  style.fontSize = `${fits}px`;
}

/** In layout pixels, whichever way the words run: what overflows at a line's start is in no `scrollWidth`. */
function widestWord(content: HTMLElement): number {
  content.style.width = "min-content";
  const width = content.offsetWidth;
  content.style.width = "";
  return width;
}
