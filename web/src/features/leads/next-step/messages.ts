import { t } from '@/lib/i18n'
export const nextStepMessages = {
  label: t('Next step'),
  failed: { title: t("The next step didn't load"), description: t('Check your connection, then try again.') },
  answer: { title: t('They wait for your answer'), late: t('Your answer is late') },
  callBack: { title: t('They called and wait for your call'), late: t('Your call is late') },
  sendEstimate: { title: t('No estimate yet'), expired: t('The estimate has expired') },
  awaitApproval: {
    title: t('Waiting for their answer'),
    since: (time: string) => t('Waiting for their answer since {time}', { time }),
    unsent: t('The estimate has not left yet'),
    opened: t('They opened it.'),
    unopened: t("They haven't opened it yet."),
  },
  schedule: {
    approved: t('The estimate is approved'),
    undated: t('The job has no time yet'),
    plain: t('Nothing is scheduled'),
  },
  noCrew: t('No crew yet'),
  inProgress: t('Work in progress'),
  sendInvoice: t('The work is done'),
  collect: t('Waiting for payment'),
  review: { title: t('Everything is paid'), detail: t('Ask them for a review while they remember your work.') },
  complete: { title: t('Nothing is left to do'), detail: t('You asked them for a review.') },
  lost: {
    declined: t('They declined the estimate'),
    noReply: t('No reply needed'),
    detail: t('Nothing is left to do.'),
  },
  /** Why a quick action does not apply yet. It can still be opened. */
  notYet: {
    reminder: t('Nothing waits for them: no open estimate, visit or invoice.'),
    payment: t('Nothing is agreed or billed yet.'),
    paid: t('Everything is paid.'),
    review: t("The work isn't done yet."),
  },
} as const
