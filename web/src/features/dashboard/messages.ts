import { t } from '@/lib/i18n'

export const dashboardMessages = {
  title: t('Automation Dashboard'),
  failed: { title: t('Figures could not be loaded'), description: t('They did not arrive. Please try again.') },
  panelsOffline: t('More figures and trends need a connection.'),
  counting: t('Still counting'),
  countingWhy: t('What happened before your figures began is being counted. Until that is done they may be too low.'),
  estimate: t('Estimate: the costs of some jobs are not noted'),
  estimateNote: t(
    'rests on your usual margin, because the costs of some jobs are not noted. Note them on the page of a job, and the real margin takes its place.',
  ),
  today: {
    title: t("Today's jobs"),
    nothing: t('No jobs today.'),
    failed: { title: t("Today's jobs could not be loaded"), description: t('They did not arrive. Please try again.') },
  },
  trends: {
    title: t('Monthly P&L Trends'),
    empty: t('The first payment draws the first bar.'),
    noChart: t('The chart could not be loaded, so here are its figures.'),
  },
} as const
