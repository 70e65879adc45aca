// Language that the page shows, without its texts: also for code that runs beside the page.
import type { Language } from '.'

let shown: Language | undefined

/** Undefined in the service worker, which shows nothing. */
export const shownLanguage = (): Language | undefined => shown

export function setShownLanguage(language: Language): void {
  shown = language
}
