// Messages of previews: the player's own page in the console, at any instant.
export const preview = {
  of: "Preview of {name}",
  play: "Play",
  pause: "Pause",
  now: "Now",
  at: "At, in {zone}",
  position: "Position",
  loading: "The picture is being prepared",
  shows: "Shows {time}",
  webCapture: "Web page, as it was {age}",
  streamCapture: "Stream, as it was {age}",
  bundleCapture: "HTML bundle, as it was {age}",
  webOnly: "The web page runs on the screen only",
  streamOnly: "The stream runs on the screen only",
  bundleOnly: "The HTML bundle runs on the screen only",
  noFeed: "The preview has no copy of the feed yet",
  problem: "One item cannot be shown: {detail}",
} as const;
