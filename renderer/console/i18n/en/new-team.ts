// Messages about a person's new team.
export const newTeam = {
  title: "Create a team",
  text: "A team has its own screens, content and members. You become its owner and go on there; this team stays as it is.",
  name: "Name of the team",
} as const;
