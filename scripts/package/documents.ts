// What every Debian package has below /usr/share: copyright, changelog, manual page, completion, and reasons for lintian.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { debianVersion, maintainer, type PackageTree } from "./deb.ts";
import { completionText } from "./manual/completion.ts";
import { manualPage } from "./manual/manual-page.ts";
import type { Manual } from "./manual/manuals.ts";

/** What differs between the packages' documents. */
interface DocumentSources {
  /** The package's name. */
  name: string;
  /** The commands that it installs. */
  manuals: readonly Manual[];
  /** Reasons for lintian. */
  overrides: string;
  /** The installed path of the notices of third parties. */
  notices: string;
}

/** Adds them to a package. @param epoch their date, in seconds. */
export function addDocuments(tree: PackageTree, sources: DocumentSources, version: string, epoch: number): void {
  const { name, manuals, overrides, notices } = sources;
  const folder = `usr/share/doc/${name}`;
  tree.write(`${folder}/copyright`, copyrightText(notices));
  tree.writeGzip(`${folder}/changelog.gz`, changelogText(name, version, epoch));
  tree.writeGzip(`${folder}/CHANGELOG.md.gz`, readFileSync(join(rootFolder, "CHANGELOG.md")));
  for (const manual of manuals) {
    tree.writeGzip(`usr/share/man/man1/${manual.name}.1.gz`, manualPage(manual, version, epoch));
    tree.write(`usr/share/bash-completion/completions/${manual.name}`, completionText(manual));
  }
  tree.copy(`usr/share/lintian/overrides/${name}`, overrides);
}

function copyrightText(notices: string): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: signage-player
Comment: The licenses of Node.js, of the fonts and of all other third parties
 are in ${notices}

Files: *
Copyright: 2026 the signage-player authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
`;
}

function changelogText(name: string, version: string, epoch: number): string {
  const date = new Date(epoch * 1_000).toUTCString().replace("GMT", "+0000");
  return `${name} (${debianVersion(version)}) stable; urgency=medium

  * The changes are listed in /usr/share/doc/${name}/CHANGELOG.md.gz.

 -- ${maintainer}  ${date}
`;
}
