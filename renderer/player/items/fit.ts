// Finds the largest font size at which a text still fits its box.

const smallest = 4;

/** Sets the largest font size, in whole pixels up to `largest`, at which `content` overflows `box` nowhere. */
export function fitText(content: HTMLElement, box: HTMLElement, largest: number): void {
  let fits = smallest;
  let tooLarge = Math.max(smallest + 1, Math.ceil(largest) + 1);
  while (tooLarge - fits > 1) {
    const size = Math.floor((fits + tooLarge) / 2);
    content.style.fontSize = `${size}px`;
    if (content.scrollWidth <= box.clientWidth && content.offsetHeight <= box.clientHeight) fits = size;
    else tooLarge = size;
  }
  content.style.fontSize = `${fits}px`;
}
