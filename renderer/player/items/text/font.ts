// The families a text may be set in: each ends in fonts that have every script.
const families = { sans: "var(--sans)", serif: "var(--serif)", mono: "var(--mono)" } as const;

/** Sets family and, where one is asked for, weight. */
export function setFont(
  { style, classList }: HTMLElement,
  look: { font_family: keyof typeof families; font_weight?: number | undefined },
): void {
  style.fontFamily = families[look.font_family];
  if (look.font_weight === undefined) return;
  style.fontWeight = String(look.font_weight);
  // Parts that have a weight of their own take this one instead.
  classList.add("weighted");
}
