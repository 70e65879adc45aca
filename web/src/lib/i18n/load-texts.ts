// Loads the texts of a language before the first module that uses one.
import { activateTexts, currentLanguage, type Language } from '.'
import { setShownLanguage } from './shown-language'

async function loadSpanish(): Promise<void> {
  try {
    const { SPANISH } = await import('@/locales/es')
    activateTexts('es', SPANISH)
    document.documentElement.lang = 'es'
  } catch (failure) {
    if (!(failure instanceof TypeError) && !(failure instanceof Error && failure.name === 'ChunkLoadError'))
      throw failure
  }
}

/** English needs none. Where the texts cannot be fetched, the app starts in English. */
export async function loadTexts(language: Language): Promise<void> {
  if (language === 'es') await loadSpanish()
  setShownLanguage(currentLanguage())
}
