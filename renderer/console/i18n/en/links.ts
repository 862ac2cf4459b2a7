// Messages of sessions that a sign-in link began, and of the links that signed somebody in as the person.
export const links = {
  confined:
    "{name} made the link that signed you in, for the team {team} only. It changes neither your account nor who has access: for that, sign in with your password, a passkey or single sign-on.",
  confinedAccount: "Your account cannot be changed here, since a link for one team signed you in.",
  used: "By a link that {name} made, somebody signed in as you to the team {team}, on {time}.",
  look: "See where you are signed in",
  dismiss: "I know of it",
  title: "Links that signed in as you",
  text: "Each works once. What a member of a team made is for that team only; what was made on the service's machine is for all your teams.",
  madeBy: "Made by",
  machine: "The service's machine",
  team: "Team",
  when: "Used",
} as const;
