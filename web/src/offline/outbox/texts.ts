// Texts of changes that wait on the device.
import { t } from '@/lib/i18n'
import { DEFAULT_REFUSAL, JOB_NOT_ASSIGNED, RECORD_GONE } from './send'

export const outboxTexts = {
  waiting: t('Waits for a connection'),
  /** Description of the toast. */
  leavesLater: t('It is saved on this device and sent when you are back online.'),
  sending: t('Sending...'),
  undo: t('Undo'),
  tooLate: { title: t('Too late'), description: t('It was already sent.') },
  notKept: {
    title: t('Not kept'),
    description: t('This device has no room left for it. Free some room and try again.'),
  },
  refused: t('Not saved'),
  stillSend: (waited: string) => t('This waited for {waited}. Still send it?', { waited }),
} as const

const REFUSALS: Readonly<Record<string, string>> = {
  [DEFAULT_REFUSAL]: t('The server did not take this.'),
  [RECORD_GONE]: t('This no longer exists.'),
  [JOB_NOT_ASSIGNED]: t('This job is no longer assigned to your crew. Tell the office.'),
}

/** The server's own words stay. */
export const describeRefusal = (why: string): string => REFUSALS[why] ?? why
