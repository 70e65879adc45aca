// Change of the language: texts are read when modules load, so the page is loaded again.
import { hasDirtyForm } from '@/lib/dirty-forms'
import { readText, removeItem, writeText } from '@/lib/storage'
import { currentLanguage, type Language } from '.'
import { startLanguage, storeLanguage } from './language'

/** The language for which the page was loaded again: where its texts cannot be fetched, once is enough. */
const RELOADED_KEY = 'toolbox.reloaded-for-language'

const reloadPage = () => globalThis.location.reload()

/** By the person: for this device, at once. */
export function switchLanguage(language: Language, reload = reloadPage): void {
  storeLanguage(language)
  if (language === currentLanguage()) return
  removeItem(sessionStorage, RELOADED_KEY)
  reload()
}

/** Loads the page again where the device has another language than it shows; not under what somebody types. */
export function showStoredLanguage(pathname: string, reload = reloadPage): void {
  const language = startLanguage(pathname)
  if (language === currentLanguage()) {
    removeItem(sessionStorage, RELOADED_KEY)
    return
  }
  if (hasDirtyForm() || readText(sessionStorage, RELOADED_KEY) === language) return
  // Without the mark reloads could repeat endlessly.
  if (writeText(sessionStorage, RELOADED_KEY, language)) reload()
}
