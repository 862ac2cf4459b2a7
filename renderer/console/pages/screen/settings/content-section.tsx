// Layout, safe image and variables of a screen.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../../../data/client.ts";
import { texts } from "../../../i18n/texts.ts";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { layoutNamesQuery } from "../../../data/layout-names.ts";
import { Section, type SectionProps } from "./section.tsx";
import { VariablesEditor } from "./variables-editor.tsx";

const text = texts("screenSettings");
const nothing = "none";

const imagesQuery = queryOptions({
  queryKey: ["assets", "images"],
  queryFn: async ({ signal }) => {
    const images: { id: string; name: string }[] = [];
    const query = { kind: "image", status: "ready", limit: 100 } as const;
    for await (const { id, name } of client.pages("/api/v1/assets", { params: { query }, signal })) images.push({ id, name });
    return images;
  },
});

export function ContentSection({ draft: { settings, set }, errors, isDisabled }: SectionProps) {
  const { data: layouts } = useQuery(layoutNamesQuery);
  const { data: images } = useQuery(imagesQuery);
  return (
    <Section id="content" title={text("content")}>
      {layouts === undefined ? null : (
        <ComboBox
          label={text("layout_id")}
          description={text("layoutAbout")}
          error={errors["layout_id"]}
          choices={[{ id: nothing, name: text("noLayout") }, ...layouts]}
          value={settings.layout_id ?? nothing}
          onChange={(key) => set("layout_id", key === nothing ? null : key)}
          isDisabled={isDisabled}
        />
      )}
      {images === undefined ? null : (
        <ComboBox
          label={text("safe_asset_id")}
          description={text("safeAbout")}
          error={errors["safe_asset_id"]}
          choices={[{ id: nothing, name: text("safeNone") }, ...images]}
          value={settings.safe_asset_id ?? nothing}
          onChange={(key) => set("safe_asset_id", key === nothing ? null : key)}
          isDisabled={isDisabled}
        />
      )}
      <VariablesEditor value={settings.variables} onChange={(variables) => set("variables", variables)} isDisabled={isDisabled} />
    </Section>
  );
}
