// SHA-256 of a text, computed without the platform, so that the player and a browser give equal content equal names.

const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const rounds = roundConstants();
const blockBytes = 64;

/** The SHA-256 of a text in UTF-8, in base64url without padding. */
export function hashText(text: string): string {
  const blocks = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(initial);
  const schedule = new Uint32Array(blockBytes);
  for (let offset = 0; offset < blocks.byteLength; offset += blockBytes) addBlock(state, blocks, offset, schedule);
  const digest = new DataView(new ArrayBuffer(state.byteLength));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest.buffer)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes followed by a bit of 1, zeros, and their length in bits, up to whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: Uint32Array, blocks: DataView, offset: number, w: Uint32Array): void {
  for (let i = 0; i < 16; i += 1) w[i] = blocks.getUint32(offset + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const before15 = w[i - 15]!;
    const before2 = w[i - 2]!;
    const first = turned(before15, 7) ^ turned(before15, 18) ^ (before15 >>> 3);
    const second = turned(before2, 17) ^ turned(before2, 19) ^ (before2 >>> 10);
    w[i] = w[i - 16]! + first + w[i - 7]! + second;
  }
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
  for (let i = 0; i < 64; i += 1) {
    const fromE = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i]! + w[i]!) | 0;
    const fromA = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    // One statement for each word: a swap of all in one would create an array in each round.
    h = g;
    g = f;
    f = e;
    e = (d + fromE) | 0;
    d = c;
    c = b;
    b = a;
    a = (fromE + fromA) | 0;
  }
  state.set([state[0]! + a, state[1]! + b, state[2]! + c, state[3]! + d, state[4]! + e, state[5]! + f, state[6]! + g, state[7]! + h]);
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
function roundConstants(): Uint32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1) if (primes.every((prime) => candidate % prime > 0)) primes.push(candidate);
  return Uint32Array.from(primes, (prime) => (Math.cbrt(prime) % 1) * 2 ** 32);
}
