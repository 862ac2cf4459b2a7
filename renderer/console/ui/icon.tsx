// The icons: lines of 1.75 px on a grid of 24 px, in the colour of the text. They say nothing by themselves; a text beside them does.
const paths = {
  brand: "M4 5h16a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 20 17H4a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 4 5zM9 21h6M10.5 8.5v5l4-2.5z",
  screens: "M4 5h16a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM9 20h6M12 16v4",
  library: "M4 6h7v7H4zM13 6h7v4h-7zM13 12h7v7h-7zM4 15h7v4H4z",
  activity: "M3 12h4l3-7 4 14 3-7h4",
  team: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14a6.4 6.4 0 0 1 3.5 6",
  chevrons: "m8 9 4-4 4 4M8 15l4 4 4-4",
  chevronDown: "m6 9 6 6 6-6",
  chevronUp: "m6 15 6-6 6 6",
  chevronEnd: "m9 6 6 6-6 6",
  plus: "M12 5v14M5 12h14",
  close: "m6 6 12 12M18 6 6 18",
  check: "m5 12.5 4.5 4.5L19 7.5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  warning: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
  offline:
    "M3 3l18 18M5 12a10 10 0 0 1 4-2.4M2 8.6A14 14 0 0 1 7 6M12 5c4 0 7.4 1.400 10 3.600M15 10a10 10 0 0 1 4 2M8.500 15.500a5 5 0 0 1 6 0M12 19h.01",
  upload: "M12 16V5M7 10l5-5 5 5M4 19h16",
  play: "M7 5v14l12-7z",
  broadcast:
    "M12 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM8 8a5.600 5.600 0 0 0 0 8M16 8a5.600 5.600 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  text: "M5 6h14M12 6v13M9 19h6",
  globe: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  link: "M9 15l6-6M10 6l2-2a4.200 4.200 0 0 1 6 6l-2 2M14 18l-2 2a4.200 4.200 0 0 1-6-6l2-2",
  key: "M15 13a4.500 4.500 0 1 0-4.200-3L3 18v3h3l1-1v-2h2v-2l2.500-2.500A4.500 4.500 0 0 0 15 13zM16 8h.01",
  settings:
    "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 12a7 7 0 0 0-.1-1.200l2-1.600-2-3.400-2.400 1a7 7 0 0 0-2-1.200L14 3h-4l-.5 2.600a7 7 0 0 0-2 1.200l-2.400-1-2 3.400 2 1.600a7 7 0 0 0 0 2.400l-2 1.600 2 3.400 2.400-1a7 7 0 0 0 2 1.200L10 21h4l.5-2.600a7 7 0 0 0 2-1.200l2.400 1 2-3.400-2-1.600c.1-.4.1-.8.1-1.200z",
  camera:
    "M4 8h3l2-3h6l2 3h3a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  list: "M4 6h16M4 12h16M4 18h16",
  siren: "M7 17v-5a5 5 0 0 1 10 0v5M4 21h16v-4H4zM12 4V2M5 6 3.500 4.500M19 6l1.500-1.500",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  arrowUp: "M12 19V5M6 11l6-6 6 6",
  arrowDown: "M12 5v14M6 13l6 6 6-6",
  playlist: "M4 6h11M4 11h11M4 16h6M15 14v6l5-3z",
  stop: "M6 6h12v12H6z",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 10h4M4 14h4M16 10h4M16 14h4",
  sound: "M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM19 16a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0z",
  document: "M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h5",
  folder: "M3 6h6l2 2h10v11H3z",
  swap: "M4 8h14l-3-3M20 16H6l3 3",
  restore: "M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500",
  download: "M12 5v11M7 11l5 5 5-5M4 20h16",
  tag: "M3.5 11.500V4.500a1 1 0 0 1 1-1h7l9 9-8 8zM8 8h.01",
  eye: "M2 12s3.600-7 10-7 10 7 10 7-3.600 7-10 7-10-7-10-7zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  target: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 2v4M12 18v4M2 12h4M18 12h4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400",
  moon: "M20 14A8.500 8.500 0 0 1 10 4a8.500 8.500 0 1 0 10 10z",
  pause: "M8 5v14M16 5v14",
  layout: "M4 4h16v16H4zM4 15h16M14 4v11",
  alignLeft: "M4 4v16M8 6h11v4H8zM8 14h6v4H8z",
  alignCenter: "M12 3v3M12 10v4M12 18v3M6 6h12v4H6zM8 14h8v4H8z",
  alignRight: "M20 4v16M5 6h11v4H5zM10 14h6v4h-6z",
  alignTop: "M4 4h16M6 8v11h4V8zM14 8v6h4V8z",
  alignMiddle: "M3 12h3M10 12h4M18 12h3M6 6v12h4V6zM14 8v8h4V8z",
  alignBottom: "M4 20h16M6 5v11h4V5zM14 10v6h4v-6z",
  distributeAcross: "M4 4v16M20 4v16M9 8h6v8H9z",
  distributeDown: "M4 4h16M4 20h16M8 9v6h8V9z",
  toFront: "M12 21V8M6 13l6-6 6 6M5 3h14",
  toBack: "M12 3v13M6 11l6 6 6-6M5 21h14",
  safeArea: "M3 5h18v14H3zM7 9h10v6H7z",
  magnet: "M6 4v8a6 6 0 0 0 12 0V4h-4v8a2 2 0 0 1-4 0V4zM6 8h4M14 8h4",
  orientation: "M4 9h8v11H4zM9 5h11v8h-5",
  calendar: "M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM4 10h16M8 3v4M16 3v4",
  timeline: "M4 6h9M7 12h13M4 18h7M15 18h5",
  copy: "M8 8h12v12H8zM4 15V4h11",
  undo: "M9 14 4 9l5-5M4 9h10a5.500 5.500 0 0 1 0 11h-3",
  redo: "m15 14 5-5-5-5M20 9H10a5.500 5.500 0 0 0 0 11h3",
  chart: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  previous: "M6 5v14M18 6l-8 6 8 6z",
  next: "M18 5v14M6 6l8 6-8 6z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
