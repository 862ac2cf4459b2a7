// Chooses a role, with the rights that it gives.
import type { Member } from "../../../data/members.ts";
import { texts } from "../../../i18n/texts.ts";
import { Select } from "../../../ui/select.tsx";

const text = texts("team");

type Role = Member["role"];
const roles: readonly Role[] = ["owner", "editor", "contributor", "viewer"];

interface RoleSelectProps {
  label: string;
  role: Role;
  onChange: (role: Role) => void;
  isLabelHidden?: boolean;
  isDisabled?: boolean;
}

export function RoleSelect({ role, onChange, ...props }: RoleSelectProps) {
  const options = roles.map((id) => ({ id, name: text(id), description: text(`${id}Text`) }));
  return <Select {...props} options={options} selectedKey={role} onSelectionChange={onChange} />;
}
