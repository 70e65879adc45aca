// Headers that mark requests of the app.
import { shownLanguage } from '@/lib/i18n/shown-language'

/** Cross-site forms cannot set it. The server requires it for session writes without JSON and for downloads. */
export const CLIENT_HEADERS = { 'X-Toolbox-Client': 'web' } as const

/** With the language of the page, in which the server refuses. The service worker sends the browser's. */
export function getClientHeaders(): Record<string, string> {
  const language = shownLanguage()
  return language === undefined ? CLIENT_HEADERS : { ...CLIENT_HEADERS, 'Accept-Language': language }
}
