// Imports an asset from a URL: creates it at once and fetches the file in the background.
import type { Clock } from "../../../base/clock.ts";
import { Name } from "../../../protocol/common.ts";
import { Asset, AssetImport } from "../../../protocol/content/assets.ts";
import { assetEvent } from "../assets/creation.ts";
import { assetVersion, newAssetRow } from "../assets/rows.ts";
import type { Imports } from "../assets/imports.ts";
import { invalidField } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import { showAssetRow } from "./asset-reading.ts";
import { insertTeamRow } from "../../store/tables/team-rows.ts";

interface AssetImportDependencies {
  clock: Clock;
  imports: Imports;
  makeId: MakeId;
}

const operation = operationsWith<AssetImportDependencies>();

export const importOperations: readonly Operation<AssetImportDependencies>[] = [
  operation({
    name: "importAsset",
    tag: "assets",
    method: "POST",
    path: "/assets/import",
    summary: "Import an asset from a URL",
    description:
      "The service fetches the file in the background. Meanwhile the asset has `status: importing` and `progress`, then `processing` and `ready`, or `failed` with `error`. Only public addresses are called, at most five redirects are followed, and the file is examined like an upload.",
    agent:
      "Use it for a file at a public URL; call get_asset until its status is ready. Not for addresses in the local network, and not for web pages: those are playlist items of type web.",
    caller: "operator",
    scope: "assets:write",
    body: AssetImport,
    example: { url: "https://media.example.com/summer.mp4", name: "Summer" },
    status: 202,
    output: Asset,
    hasLinks: true,
    errors: ["invalid"],
    version: assetVersion,
    async run(dependencies, { teamId }, { body }, unitOfWork) {
      const url = new URL(body.url);
      if (url.username !== "" || url.password !== "") throw invalidField("/url", "must not contain a user name or a password");
      const write = async (db: Db) => {
        const fields = {
          id: dependencies.makeId("ast"),
          team_id: teamId,
          name: body.name ?? nameOf(url),
          created_at: Math.trunc(dependencies.clock.now()),
        };
        const row: AssetRow = { ...newAssetRow(fields), tags: JSON.stringify([...new Set(body.tags)]), source_url: url.href };
        await insertTeamRow(db, "assets", row);
        return { result: showAssetRow(dependencies, row), events: [assetEvent("asset.created", row)] };
      };
      const response = await unitOfWork.write(write, async (_db, asset) => {
        return new JsonResponse(202, asset, { Location: `/api/v1/assets/${asset.id}` });
      });
      dependencies.imports.wake();
      return response;
    },
  }),
];

/** The last path segment of the URL as a name, or its host. */
function nameOf({ pathname, hostname }: URL): string {
  const last = pathname.split("/").findLast((part) => part !== "") ?? "";
  const decoded = /%(?![0-9a-f]{2})/i.test(last) ? last : decode(last);
  return Name.safeParse(decoded.slice(0, 200)).data ?? hostname.slice(0, 200);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not valid UTF-8: keep the percent signs
  }
}
