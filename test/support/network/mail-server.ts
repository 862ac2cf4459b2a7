// A real SMTP server on loopback that keeps the mails it receives, and fails as a test asks.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  to: string[];
  subject: string;
  /** Header lines, unfolded. */
  headers: string[];
  /** The plain text and the HTML, decoded. */
  text: string;
  html: string;
  isEncrypted: boolean;
  user: string | undefined;
}

export interface MailServerOptions {
  port?: number;
  /** Paths of a key and its certificate: the server offers TLS. */
  tls?: { key: string; cert: string };
  /** TLS from the first byte, instead of STARTTLS. */
  isImplicit?: boolean;
  login?: { user: string; password: string };
}

export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** The replies to the next mails, such as 451; a server without any accepts. */
  readonly replies: { code: number; text: string }[] = [];
  /** The reply to each recipient; undefined: accepted. */
  readonly refusals = new Map<string, { code: number; text: string }>();
  /** How many of the next mails end with a broken connection instead of a reply. */
  breaks = 0;
  /** How many mails were begun. */
  begun = 0;
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();

  private constructor({ tls, isImplicit = false, login }: MailServerOptions) {
    this.#server = new SMTPServer({
      secure: isImplicit,
      ...(tls === undefined ? {} : { key: readFileSync(tls.key), cert: readFileSync(tls.cert) }),
      authOptional: login === undefined,
      disabledCommands: [...(tls === undefined ? ["STARTTLS"] : []), ...(login === undefined ? ["AUTH"] : [])],
      disableReverseLookup: true,
      onAuth: ({ username, password }, _session, callback) => {
        if (username === login?.user && password === login?.password) callback(null, { user: username });
        // Some servers repeat what they were sent.
        else callback(new Error(`Invalid login ${username} ${password}`));
      },
      onRcptTo: ({ address }, _session, callback) => {
        const refusal = this.refusals.get(address);
        callback(refusal === undefined ? null : failure(refusal));
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        this.begun += 1;
        if (this.breaks > 0) {
          this.breaks -= 1;
          for (const socket of this.#sockets) socket.destroy();
          return;
        }
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const reply = this.replies.shift();
          if (reply !== undefined) return callback(failure(reply));
          const to = session.envelope.rcptTo.map(({ address }) => address);
          this.mails.push({
            ...parse(Buffer.concat(chunks).toString()),
            to,
            isEncrypted: session.secure,
            user: session.user as string | undefined,
          });
          callback();
        });
      },
    });
    // A broken connection is what some tests want.
    this.#server.on("error", () => undefined);
    this.#listener.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    server.#server.listen(options.port ?? 0, "127.0.0.1");
    await once(server.#listener, "listening");
    return server;
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port;
  }

  get #listener(): Server {
    return this.#server.server as Server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function failure({ code, text }: { code: number; text: string }): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

function parse(raw: string): Pick<ReceivedMail, "subject" | "headers" | "text" | "html"> {
  const end = raw.indexOf("\r\n\r\n");
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const [text = "", html = ""] = raw
    .split(/^--[-_].*$/m)
    .slice(1, 3)
    .map(decodePart);
  const subject = headers.find((line) => line.startsWith("Subject: "))?.slice("Subject: ".length) ?? "";
  return { subject: decodeWords(subject), headers, text, html };
}

function decodePart(part: string): string {
  const end = part.indexOf("\r\n\r\n");
  const body = part.slice(end + 4);
  if (/encoding: base64/i.test(part.slice(0, end))) return Buffer.from(body, "base64").toString();
  return /encoding: quoted-printable/i.test(part.slice(0, end)) ? decodeQuoted(body.replaceAll("=\r\n", "")) : body;
}

/** Encoded words of a header (RFC 2047). */
function decodeWords(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === "b" ? Buffer.from(text, "base64").toString() : decodeQuoted(text.replaceAll("_", " ")),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
