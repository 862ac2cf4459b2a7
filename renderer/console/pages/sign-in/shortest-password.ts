// How long a password is at least; the service checks it. Not its schema, which would be loaded with the page.
export const shortestPassword = 12;
