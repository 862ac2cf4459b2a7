// The font families and weights of texts. Each family ends in fonts that cover every script.
const families = { sans: "var(--sans)", serif: "var(--serif)", mono: "var(--mono)" } as const;

/** Sets the font family and, if given, the weight. */
export function setFont(
  { style, classList }: HTMLElement,
  font: { font_family: keyof typeof families; font_weight?: number | undefined },
): void {
  style.fontFamily = families[font.font_family];
  if (font.font_weight === undefined) return;
  style.fontWeight = String(font.font_weight);
  // This class overrides the weights of individual parts.
  classList.add("weighted");
}
