// Tabs: one of several views of the same thing. The chosen one belongs in the address, which the page keeps.
import "./tabs.css";
import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components";

export interface TabsProps<K extends string> {
  label: string;
  selected: K;
  onSelect: (key: K) => void;
  tabs: readonly { key: K; title: string; content: ReactNode }[];
}

export function Tabs<K extends string>({ label, selected, onSelect, tabs }: TabsProps<K>) {
  return (
    <AriaTabs className="tabs stack gap-5 shrink" selectedKey={selected} onSelectionChange={(key) => onSelect(key as K)}>
      <TabList className="tab-list flex gap-1 line-below" aria-label={label}>
        {tabs.map(({ key, title }) => (
          <Tab key={key} id={key} className="tab row pad-1-3 strong soft nowrap pointer">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ key, content }) => (
        <TabPanel key={key} id={key} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
