// An error of S3: a status and a code, sent as XML.
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  get xml(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${this.code}</Code><Message>${escapeXml(this.message)}</Message></Error>`;
  }
}

/** The error for an object that does not exist. */
export function noSuchKey(): S3Error {
  return new S3Error(404, "NoSuchKey", "The specified key does not exist.");
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
