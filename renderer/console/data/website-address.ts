// Addresses of websites as people type them.
/** An address as a person types it: without a scheme it is an https address. */
export function addressOf(input: string): string {
  const address = input.trim();
  return address === "" || /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`;
}
