// Texts of the app in the language of the person. The English text is the key; `locales/es` has the Spanish ones.
import { i18n, type Messages } from '@lingui/core'

export type Language = 'en' | 'es'
export type TextValues = Readonly<Record<string, string | number>>

const PLACEHOLDER = /\{(\w+)\}/

/** `Call {name}` becomes `['Call ', ['name']]`, the compiled form of lingui. Plural forms are texts of their own. */
function compileText(text: string): (string | [string])[] {
  return text.split(PLACEHOLDER).map((part, at) => (at % 2 === 1 ? [part] : part))
}

i18n.setMessagesCompiler(compileText)
i18n.loadAndActivate({ locale: 'en', messages: {} })

/** The text in the language that is shown, which stays the same until the page is loaded again. */
export function t(text: string, values?: TextValues): string {
  return i18n._(text, values)
}

/** A text with two translations, as the verb "Open" and the state "Open": the catalog has it as `use|text`. */
export function pgettext(use: string, text: string): string {
  const key = `${use}|${text}`
  const found = i18n._(key)
  return found === key ? text : found
}

/** `one` for a count of one, else `other`; both have the placeholder `{count}` where the number is said. */
export function plural(count: number, one: string, other: string, values?: TextValues): string {
  return t(count === 1 ? one : other, { count, ...values })
}

export function currentLanguage(): Language {
  return i18n.locale === 'es' ? 'es' : 'en'
}

/** Locale of dates and numbers. American conventions in both languages. */
export function formatLocale(): string {
  return currentLanguage() === 'es' ? 'es-US' : 'en-US'
}

export function activateTexts(language: Language, messages: Messages): void {
  i18n.loadAndActivate({ locale: language, messages })
}
