// Chooses one of the team's layouts, as they are published: a show is on the screens at once. Those without a playlist would show nothing and are left out.
import "./content.css";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { useDraft } from "../../data/draft.ts";
import { draftHeader, published } from "../../data/drafts/place.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Radio, RadioGroup } from "react-aria-components";
import { useIsOfShow } from "./shows.ts";

const text = texts("show");
type Layout = Schemas["Layout"];

const layoutsQuery = queryOptions({
  queryKey: ["layouts", "published"],
  queryFn: async (): Promise<Layout[]> => {
    const layouts: Layout[] = [];
    const params = { query: { limit: 100 }, header: { [draftHeader]: published } };
    for await (const layout of client.pages("/api/v1/layouts", { params })) layouts.push(layout);
    return layouts;
  },
});

export function LayoutPicker({ value, onChange }: { value: string | null; onChange: (id: string) => void }) {
  const { data, error } = useQuery(layoutsQuery);
  const isOfShow = useIsOfShow();
  const draft = useDraft();
  const usable = data?.filter(({ id, zones }) => !isOfShow(id) && zones.some(({ playlist_id }) => playlist_id !== null));
  return (
    <>
      <ProblemMessage error={error} />
      {draft === null ? null : <p className="faint">{text("layoutsOfDraft", { name: draft.name })}</p>}
      {usable?.length === 0 ? <p className="faint">{text("noLayouts")}</p> : null}
      <RadioGroup className="layout-choices grid gap-3" aria-label={text("chooseLayout")} value={value} onChange={onChange}>
        {usable?.map((layout) => (
          <Radio key={layout.id} value={layout.id} className="layout-choice stack gap-2 pad-2 outlined pointer rounded">
            <LayoutSketch layout={layout} />
            <span className="target-name">{layout.name}</span>
          </Radio>
        ))}
      </RadioGroup>
    </>
  );
}

/** The zones of a layout as rectangles. Its name is beside it. */
function LayoutSketch({ layout: { width, height, zones, background_color } }: { layout: Layout }) {
  return (
    <svg className="layout-sketch" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect width={width} height={height} fill={background_color} />
      {zones.map(({ id, left, top, width: wide, height: high, rotation = 0 }) => (
        <rect
          key={id}
          className="layout-zone"
          x={left}
          y={top}
          width={wide}
          height={high}
          transform={`rotate(${rotation} ${left + wide / 2} ${top + high / 2})`}
        />
      ))}
    </svg>
  );
}
