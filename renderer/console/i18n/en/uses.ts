// Where a playlist or a layout is shown.
export const uses = {
  onScreens: "{count, plural, =0 {On no screen} one {On # screen} other {On # screens}}",
  titlePlaylist: "Where this playlist is shown",
  titleLayout: "Where this layout is shown",
  unusedPlaylist: "Nothing shows it yet. Choose it for a zone of a layout; a screen or a schedule then shows the layout.",
  unusedLayout: "Nothing shows it yet. Plan it in a schedule, show it now, or make it the layout of a screen.",
  layouts: "In these layouts",
  schedules: "By these schedules",
  screens: "On these screens",
  asDefault: "{count, plural, one {# of them shows it} other {# of them show it}} whenever nothing else is due.",
  more: "{count, plural, one {and # more} other {and # more}}",
  plan: "Plan it",
} as const;
