// Facts by their names, such as those of a device or of an entry of a log.
import type { ReactNode } from "react";

export interface FactListProps {
  /** The page's own style of the list. */
  className: string;
  facts: readonly (readonly [name: string, value: ReactNode])[];
}

export function FactList({ className, facts }: FactListProps) {
  return (
    <dl className={className}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
