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
    <AriaTabs className="tabs" selectedKey={selected} onSelectionChange={(key) => onSelect(key as K)}>
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ key, title }) => (
          <Tab key={key} id={key} className="tab">
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
