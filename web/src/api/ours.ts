// The sign that a request comes from the app.

/** No page of another site can send it. The server refuses whoever is signed in and sends a file without it. */
export const OURS = { 'X-Toolbox-Client': 'web' } as const
