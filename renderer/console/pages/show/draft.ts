// The show that a person is about to begin: the content, where, and until when; and the request that it makes.
import { addressOf } from "../../data/website-address.ts";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { isEmptyTarget, noTarget, targetFields, type Target } from "./target.ts";
import type { NewShow } from "./shows.ts";
import { looks, type LookId } from "./looks.ts";
import { untilFields, type Until } from "./until.ts";

export type Asset = Schemas["Asset"];
export type ContentKind = "asset" | "text" | "page" | "layout";

export interface Draft {
  kind: ContentKind;
  asset: Asset | null;
  text: string;
  look: LookId;
  url: string;
  layoutId: string | null;
  target: Target;
  until: Until;
}

export const emptyDraft: Draft = {
  kind: "asset",
  asset: null,
  text: "",
  look: "light-on-dark",
  url: "",
  layoutId: null,
  target: noTarget,
  until: { is: "hour", at: "" },
};

function contentFields(draft: Draft): Partial<NewShow> | null {
  switch (draft.kind) {
    case "asset":
      return draft.asset === null ? null : { asset_id: draft.asset.id };
    case "text": {
      const { color, background } = looks[draft.look];
      return draft.text.trim() === "" ? null : { text: draft.text.trim(), color, background_color: background };
    }
    case "page":
      return draft.url.trim() === "" ? null : { url: addressOf(draft.url) };
    case "layout":
      return draft.layoutId === null ? null : { layout_id: draft.layoutId };
  }
}

/** The request for a draft; null: something is missing. */
export function requestOf(draft: Draft): NewShow | null {
  const content = contentFields(draft);
  const until = untilFields(draft.until, new Date());
  if (content === null || until === null || isEmptyTarget(draft.target)) return null;
  return { ...content, ...until, ...targetFields(draft.target) } as NewShow;
}
