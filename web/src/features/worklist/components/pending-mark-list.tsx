// Marks that wait for a connection, or were refused.
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { useCurrentUser } from '@/features/session/use-session'
import { type MarkEntry, usePendingMarks } from '../lib/pending-marks'
import { worklistMessages } from '../messages'

const texts = worklistMessages.pending
const MINUTE_MS = 60_000

export function PendingMarkList() {
  const { orgTimezone } = useCurrentUser()
  const { entries } = usePendingMarks()
  const now = useNow(MINUTE_MS)
  if (entries.length === 0) return null
  return (
    <ul aria-label={t('Changes on this device')} className="glass-card grid gap-2 p-3">
      {entries.map((entry) => (
        <li key={entry.id}>
          <p className="wrap-anywhere">{describeMark(entry, orgTimezone, now)}</p>
          <QueuedLine entry={entry} subject={entry.jobName} />
        </li>
      ))}
    </ul>
  )
}

/** `Carla Customer: marked as done` */
function describeMark({ command, jobName }: MarkEntry, timeZone: string, now: number): string {
  switch (command.kind) {
    case 'work_done':
      return texts.done(jobName)
    case 'work_snooze':
      return texts.snoozed(jobName, formatDayTimeInSentence(command.until, timeZone, now))
    case 'work_assign':
      return command.to ? texts.assigned(jobName, command.to.name) : texts.unassigned(jobName)
  }
}
