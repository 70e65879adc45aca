// Switch to the other language of the app on this device, for people who are not signed in.
import { currentLanguage } from '@/lib/i18n'
import { switchLanguage } from '@/lib/i18n/switch-language'
import { Button } from './button'

/** In its own language: who needs it cannot read the other. */
const OTHER = {
  en: { language: 'es', name: 'Español' },
  es: { language: 'en', name: 'English' },
} as const

export function LanguageSwitch() {
  const { language, name } = OTHER[currentLanguage()]
  return (
    <Button variant="ghost" lang={language} onClick={() => switchLanguage(language)}>
      {name}
    </Button>
  )
}
