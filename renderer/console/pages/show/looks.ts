// The colours of messages. A person reads them from across a hall, so each pair has a contrast of 7 or more (WCAG 2.2, 1.4.6).
export const looks = {
  "light-on-dark": { color: "#ffffff", background: "#101116" },
  "dark-on-light": { color: "#101116", background: "#ffffff" },
  blue: { color: "#ffffff", background: "#14397d" },
  green: { color: "#ffffff", background: "#0c5132" },
  yellow: { color: "#17181f", background: "#ffd21f" },
  red: { color: "#ffffff", background: "#9c1420" },
} as const;

export type LookId = keyof typeof looks;
export const lookIds = Object.keys(looks) as LookId[];
