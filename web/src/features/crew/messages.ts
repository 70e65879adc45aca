import { t } from '@/lib/i18n'
export const crewMessages = {
  title: t('Today'),
  none: t('No jobs today.'),
  noCrew: t('You belong to no crew yet. Ask the office to put you into one: its jobs appear here.'),
  daysFailed: { title: t('Your jobs could not be loaded'), description: t('They did not arrive. Please try again.') },
  notKept: {
    title: t('Not kept'),
    description: t('This phone has no room left for it. Free some room and try again.'),
  },
  toldLater: t('The customer gets the message when you are back online; call them if it matters.'),
  waiting: t('Waiting to be sent'),
  waitedTooLong: t('This waited for a while. Still send it?'),
  refused: t('Not sent'),
  byNoWay: (why: string) => t('The customer gets no message: {why}', { why }),
  byEmailOnly: (why: string) => t('The customer gets it by email, not by text: {why}.', { why }),
  told: { title: t('On its way to the customer'), description: t('They hear when to expect you.') },
  notToldYet: t('The customer is not told yet'),
  notTold: { title: t('The customer was not told'), otherwise: t('Call them if it matters.') },
  photos: {
    before: t('Add a photo taken before the work first.'),
    during: t('Add a photo taken during the work first.'),
    after: t('Add a photo taken after the work first.'),
  },
} as const
