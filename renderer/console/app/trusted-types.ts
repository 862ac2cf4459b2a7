// The page's only policy for text that is to become HTML (Trusted Types): the empty text, with which React Aria clears an element.
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

trustedTypes?.createPolicy("default", {
  createHTML(html) {
    if (html === "") return html;
    throw new TypeError("text does not become HTML in the console");
  },
});

// Where code may not be made from text, zod shall not try: browsers report the attempt. Set before its library is loaded.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
