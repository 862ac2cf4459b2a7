// Light or dark, as the person chose on this device, else as the device is set.
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "theme";

/** The chosen theme. */
export function chosenTheme(): Theme {
  const theme = localStorage.getItem(storageKey);
  return themes.find((each) => each === theme) ?? "system";
}

/** Applies and remembers a theme. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme(theme);
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
