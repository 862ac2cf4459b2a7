// Messages of the picker of screens and tags.
export const targets = {
  label: "Screens or tags",
  placeholder: "Search by name or tag",
  open: "Show all screens and tags",
  everywhere: "All screens",
  suggestions: "Suggestions",
  number: "{count, number}",
  chosen: "Chosen screens and tags",
  remove: "Remove {name}",
  unknown: "A screen that was deleted",
  offline: "Offline",
  loading: "Loading…",
  none: "No screen and no tag has this name.",
  more: "{count, plural, one {# more: type to narrow} other {# more: type to narrow}}",
  moreChosen: "{count, plural, one {and # more} other {and # more}}",
  count: "{count, plural, one {# screen} other {# screens}}",
  total: "{count, plural, =0 {No screen} one {# screen} other {# screens}}{offline, plural, =0 {} other {, # offline}}",
} as const;
