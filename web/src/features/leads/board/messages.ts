import { t } from '@/lib/i18n'
export const boardMessages = {
  failed: { title: t('The board could not be loaded'), description: t('It did not arrive. Please try again.') },
  moved: (stage: string) => t('Moved to {stage}', { stage }),
  moveFailed: { title: t('Not moved'), description: t('The lead stays where it was. Please try again.') },
  undone: { title: t('Undone'), description: t('The lead is back where it was.') },
  undoFailed: { title: t('Not undone'), description: t('The lead was not moved. Please try again.') },
  reason: t('Please say why it goes back, in a few words'),
  schedule: t(
    'Work that is scheduled has a job with a day and a crew. Without one the lead only changes its place here.',
  ),
  offline: t('You are offline. What you move here is sent when you are back online.'),
  offlineStep: t('Scheduling and payments need a connection.'),
} as const
