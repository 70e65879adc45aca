// Language of the account on this device.
import type { CurrentUser } from '@/api/client'
import { chosenLanguage, storeLanguage } from '@/lib/i18n/language'

/** The person's choice replaces the device's. Only what the server has just said: a kept copy may be older. */
export function storeAccountLanguage({ language }: CurrentUser): void {
  if (language && language !== chosenLanguage()) storeLanguage(language)
}
