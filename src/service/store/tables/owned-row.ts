// The columns of every row that belongs to a team.

export interface OwnedRow {
  id: string;
  team_id: string;
  created_at: number;
}
