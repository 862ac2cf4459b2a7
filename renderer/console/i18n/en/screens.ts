// Messages of the wall of screens.
export const screens = {
  title: "Screens",
  add: "Add a screen",
  emptyTitle: "No screens yet",
  emptyText: "Start a player on the machine behind your screen. It shows a code: enter that code here, and the screen is yours.",
  online: "Online",
  offline: "Offline",
} as const;
