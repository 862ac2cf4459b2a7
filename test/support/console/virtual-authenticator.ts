// What Chromium offers to tests in place of a fingerprint reader: it keeps passkeys, and confirms who is there.
import type { CDPSession, Page } from "playwright";

export class VirtualAuthenticator {
  readonly #devtools: CDPSession;
  readonly #id: string;

  private constructor(devtools: CDPSession, id: string) {
    this.#devtools = devtools;
    this.#id = id;
  }

  /** Connects one to a page, whose person is recognized at once. */
  static async connect(page: Page, { synced = false } = {}): Promise<VirtualAuthenticator> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        defaultBackupEligibility: synced,
        defaultBackupState: synced,
      },
    });
    return new VirtualAuthenticator(devtools, authenticatorId);
  }

  /** How many passkeys it keeps. */
  async count(): Promise<number> {
    return (await this.#devtools.send("WebAuthn.getCredentials", { authenticatorId: this.#id })).credentials.length;
  }

  /** Whether the person confirms that they are there; else the browser waits for them. */
  async setPresent(enabled: boolean): Promise<void> {
    await this.#devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId: this.#id, enabled });
  }

  /** Whether their fingerprint is recognized. */
  async setVerified(isUserVerified: boolean): Promise<void> {
    await this.#devtools.send("WebAuthn.setUserVerified", { authenticatorId: this.#id, isUserVerified });
  }
}
