// What becomes of a message that was just queued, as the server says it. Only what leaves is called sent.
import { capitalize } from '@/lib/format/words'

export type Outlook = { state: string; text: string } | null | undefined

/** Whether it leaves at once. An answer that says nothing of it is of a message that left. */
export const leaves = (outlook: Outlook): boolean => !outlook || outlook.state === 'leaves'

/** `Held until 8:00 AM: it is night there.` Empty for what leaves. */
export const waitingSentence = (outlook: Outlook): string =>
  outlook && !leaves(outlook) ? `${capitalize(outlook.text)}.` : ''
