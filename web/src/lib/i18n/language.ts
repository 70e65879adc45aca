// Language of the app on this device. The account of the person has it too, and takes precedence once it is known.
import { isDemoMode } from '@/lib/demo'
import { readText, writeText } from '@/lib/storage'
import type { Language } from '.'

const LANGUAGE_KEY = 'toolbox.language'
/** Pages for customers: the visitor's texts follow what the server stores as read by them. */
const CUSTOMER_PATH = /^\/(?:lead|quote|quote-request|checkout)\/?$/

function isLanguage(text: string | null): text is Language {
  return text === 'en' || text === 'es'
}

function deviceLanguage(): Language {
  return navigator.language.toLowerCase().startsWith('es') ? 'es' : 'en'
}

/** The stored choice, else the device's language. */
export function chosenLanguage(): Language {
  const stored = readText(localStorage, LANGUAGE_KEY)
  return isLanguage(stored) ? stored : deviceLanguage()
}

/** Whether the page at this path is in the language of the person; else it is in English. */
export const isLanguageChosen = (pathname: string): boolean => !isDemoMode() && !CUSTOMER_PATH.test(pathname)

/** The language in which the page at this path starts. */
export function startLanguage(pathname: string): Language {
  return isLanguageChosen(pathname) ? chosenLanguage() : 'en'
}

export function storeLanguage(language: Language): void {
  writeText(localStorage, LANGUAGE_KEY, language)
}
