// The Debian package signage-service: the service, its unit, and a nightly backup.
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import type { Architecture } from "../../src/protocol/device/updates.ts";
import { buildDeb, PackageTree } from "./deb.ts";
import { addDocuments } from "./documents.ts";
import { releaseManual, serviceManual } from "./manual/manuals.ts";
import { nodeDepends } from "./node-release.ts";
import type { BuildOptions } from "./options.ts";

// What the package brings beside its programs.
const serviceFolder = join(rootFolder, "packaging/service");
const root = "usr/lib/signage-service";

/** Builds it in the folder `work`. @param application an application's folder. @returns the package's path. */
export function buildServiceDeb(
  architecture: Architecture,
  application: string,
  options: BuildOptions,
  work: string,
  output: string,
): string {
  const { version, epoch, quick } = options;
  const tree = new PackageTree(join(work, `service-${architecture}`));
  tree.copyFolder(root, application);
  tree.copy(`${root}/backup-and-expire`, join(serviceFolder, "backup-and-expire.sh"), 0o755);
  tree.copy("usr/bin/signage-service", join(serviceFolder, "signage-service.sh"), 0o755);
  tree.copy("usr/bin/signage-release", join(serviceFolder, "signage-release.sh"), 0o755);
  for (const unit of ["signage-service.service", "signage-backup.service", "signage-backup.timer"]) {
    tree.copy(`usr/lib/systemd/system/${unit}`, join(serviceFolder, "units", unit));
  }
  tree.copy("usr/lib/sysusers.d/signage-service.conf", join(serviceFolder, "sysusers.conf"));
  tree.copy("usr/lib/tmpfiles.d/signage-service.conf", join(serviceFolder, "tmpfiles.conf"));
  tree.copy("etc/default/signage-service", join(serviceFolder, "default"));
  const sources = {
    name: "signage-service",
    manuals: [serviceManual, releaseManual],
    overrides: join(serviceFolder, "lintian-overrides"),
    notices: `/${root}/THIRD-PARTY-NOTICES.txt`,
  };
  addDocuments(tree, sources, version, epoch);
  const fields = {
    name: "signage-service",
    version,
    architecture,
    section: "video",
    depends: [...nodeDepends, "init-system-helpers (>= 1.54~)", "systemd (>= 252)", "passwd"],
    suggests: ["signage-player"],
    synopsis: "digital-signage service that players connect to",
    description: [
      "Stores content and schedules for digital-signage players and distributes them. People and programs use it by REST, WebSocket and MCP.",
      "It listens on this machine only until /etc/default/signage-service says otherwise. A timer makes a backup every night.",
    ],
    conffiles: ["/etc/default/signage-service"],
    scripts: join(serviceFolder, "debian"),
  };
  return buildDeb(tree, fields, epoch, quick, output);
}
