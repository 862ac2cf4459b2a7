// What two people have changed differently in one form.
export const contradictions = {
  parts: "You both changed: {parts}. Everything else of both is in the form.",
  takeTheirs: "Take theirs",
  keepMine: "Keep mine",
} as const;
