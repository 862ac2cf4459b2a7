// Why a screen is empty, in short.
export const emptyReasons = {
  noSchedule: "nothing is planned for it",
  notDue: "no schedule is due",
  setAside: "conditions do not hold",
  noItems: "what is due has nothing to show",
} as const;
