import { t } from '@/lib/i18n'

export const scheduleMessages = {
  title: t('Schedule'),
  tray: t('Not scheduled'),
  trayEmpty: t('Every job has a time.'),
  noCrew: t('No crew yet'),
  failed: { title: t('Schedule could not be loaded'), description: t('It did not arrive. Please try again.') },
  moveFailed: { title: t('Not moved'), description: t('The job was not changed. Please try again.') },
  moved: t('Moved'),
  scheduled: t('Scheduled'),
  unscheduled: t('Taken off the schedule'),
  saved: t('Saved'),
  back: t('It waits under Not scheduled.'),
  offline: t('You are offline. Moving jobs needs a connection.'),
  incomplete: t('Choose a day and a time.'),
  empty: t('Nothing planned.'),
  heldUntil: (time: string, name: string) => t('Held until {time} – {name}, waiting for confirmation', { time, name }),
  heldShort: (time: string) => t('Held until {time}', { time }),
  heldOverlap: {
    title: t('A job is planned over a held time'),
    description: t('When the customer confirms that time, the page says it is taken and offers another.'),
  },
  tell: t('Tell the customer'),
  tellHint: t('By text or email, a minute from now. Reminders follow the new time either way.'),
} as const
