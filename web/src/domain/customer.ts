// Customer labels shared by screens. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { Tone } from './tone'

export type Language = Schema['Language']

/** Message languages. */
export const LANGUAGES = { en: t('English'), es: t('Spanish') } as const satisfies Record<Language, string>
/** Label without a chosen language. */
export const ANY_LANGUAGE = t('As they write')

type OptOut = Pick<Schema['OptOut'], 'state' | 'byPerson' | 'saidElsewhere'>
/**
 * Source of an opt-out: customer, possibly customer, staff decision (reversible), or customer at another business on
 * the same number.
 */
type TextOptOut = 'said' | 'doubted' | 'decided' | 'elsewhere'

export const TEXT_OPT_OUTS = {
  said: { label: t('Said STOP to texts'), ofNumber: t('They said STOP from this number.'), tone: 'error' },
  doubted: {
    label: t('May want no texts'),
    ofNumber: t('They may have asked to stop from this number.'),
    tone: 'warning',
  },
  decided: {
    label: t('Your business stopped texts'),
    ofNumber: t('Your business stopped texts to this number.'),
    tone: 'error',
  },
  elsewhere: {
    label: t('Asked for no texts'),
    ofNumber: t('They asked at this number not to be texted.'),
    tone: 'warning',
  },
} as const satisfies Record<TextOptOut, { label: string; ofNumber: string; tone: Tone }>

/** Undefined where texts are allowed. */
export function getTextOptOut(optOut: OptOut | null | undefined): TextOptOut | undefined {
  if (!optOut || optOut.state === 'lifted') return undefined
  if (optOut.saidElsewhere) return 'elsewhere'
  if (optOut.state === 'paused') return 'doubted'
  return optOut.byPerson ? 'decided' : 'said'
}
