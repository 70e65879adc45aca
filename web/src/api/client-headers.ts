// Header that marks requests of the app.

/** Cross-site forms cannot set it. The server requires it for session writes without JSON and for downloads. */
export const CLIENT_HEADERS = { 'X-Toolbox-Client': 'web' } as const
