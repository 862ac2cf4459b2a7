// A button of which only the icon is seen. Its name is its tooltip, for pointers and for the focus.
import type { ReactNode } from "react";
import { Button, ToggleButton, Tooltip, TooltipTrigger } from "react-aria-components";
import { Icon } from "../../../ui/icon.tsx";
import type { IconName } from "../../../ui/icon-paths.ts";

interface ToolProps {
  name: string;
  icon: IconName;
  /** The key that does the same. */
  keys?: string;
  isDisabled?: boolean;
}

export function Tool({ name, icon, keys, isDisabled = false, onPress }: ToolProps & { onPress: () => void }) {
  return (
    <WithTooltip name={name} keys={keys}>
      <Button className="button tool" data-kind="quiet" data-size="small" aria-label={name} isDisabled={isDisabled} onPress={onPress}>
        <Icon name={icon} />
      </Button>
    </WithTooltip>
  );
}

export function ToggleTool({ name, icon, isOn, onChange }: ToolProps & { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <WithTooltip name={name}>
      <ToggleButton className="button tool" data-kind="quiet" data-size="small" aria-label={name} isSelected={isOn} onChange={onChange}>
        <Icon name={icon} />
      </ToggleButton>
    </WithTooltip>
  );
}

function WithTooltip({ name, keys, children }: { name: string; keys?: string | undefined; children: ReactNode }) {
  return (
    <TooltipTrigger delay={500}>
      {children}
      <Tooltip className="tool-tip row gap-2 rounded-s small" offset={6}>
        {name}
        {keys === undefined ? null : <kbd>{keys}</kbd>}
      </Tooltip>
    </TooltipTrigger>
  );
}
