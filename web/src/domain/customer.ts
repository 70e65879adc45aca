// What several screens tell of a customer, in the same words. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

/** What we write to them in. */
export const LANGUAGES = { en: 'English', es: 'Spanish' } as const satisfies Record<Schema['Language'], string>
/** Where nobody has chosen one. */
export const ANY_LANGUAGE = 'As they write'

type OptOut = Pick<Schema['OptOut'], 'state' | 'byPerson' | 'saidElsewhere'>
/**
 * Who said no to texts: the customer, perhaps the customer, a person of the business, who may take it back, or the customer
 * to another business at the same number.
 */
type Refusal = 'said' | 'doubted' | 'decided' | 'elsewhere'

export const REFUSALS = {
  said: { label: 'Said STOP to texts', ofNumber: 'They said STOP from this number.', tone: 'error' },
  doubted: { label: 'May want no texts', ofNumber: 'They may have asked to stop from this number.', tone: 'warning' },
  decided: {
    label: 'Your business stopped texts',
    ofNumber: 'Your business stopped texts to this number.',
    tone: 'error',
  },
  elsewhere: { label: 'Asked for no texts', ofNumber: 'They asked at this number not to be texted.', tone: 'warning' },
} as const satisfies Record<Refusal, { label: string; ofNumber: string; tone: Tone }>

/** Undefined where they may be texted. */
export function refusalOf(optOut: OptOut | null | undefined): Refusal | undefined {
  if (!optOut || optOut.state === 'lifted') return undefined
  if (optOut.saidElsewhere) return 'elsewhere'
  if (optOut.state === 'paused') return 'doubted'
  return optOut.byPerson ? 'decided' : 'said'
}
