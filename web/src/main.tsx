// Entry: the texts of the person's language come first, because modules read theirs when they load.
import { startLanguage } from './lib/i18n/language'
import { loadTexts } from './lib/i18n/load-texts'

async function main(): Promise<void> {
  await loadTexts(startLanguage(location.pathname))
  await import('./start')
}

void main()
