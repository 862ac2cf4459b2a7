// Types of the part of libheif-js that the service uses. The package describes only its lower-level functions.
declare module "libheif-js/wasm-bundle.js" {
  interface HeifImage {
    is_primary(): boolean;
    get_width(): number;
    get_height(): number;
    /** Fills `target.data` with RGBA. Calls back with `target`, or with null when the picture cannot be decoded. */
    display<T extends { data: Uint8ClampedArray; width: number; height: number }>(target: T, then: (shown: T | null) => void): void;
  }
  const libheif: { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } };
  export default libheif;
}
