// The address of the service, without a slash at its end: the page's base, which `--public-url` may give a path.
export const baseUrl = document.baseURI.replace(/\/+$/, "");
