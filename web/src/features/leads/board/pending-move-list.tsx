import { LEAD_STAGES } from '@/domain/lead'
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import type { EntryOfKind } from '@/offline/outbox/use-outbox'

/** Moves that wait for a connection, or were refused. */
export function PendingMoveList({ entries }: { entries: readonly EntryOfKind<'lead_stage'>[] }) {
  return (
    <ul aria-label={t('Moves on this device')} className="glass-card mb-3 grid gap-2 p-3">
      {entries.map((entry) => (
        <li key={entry.id}>
          <p className="wrap-anywhere">
            {t('{name} to {stage}', { name: entry.jobName, stage: LEAD_STAGES[entry.command.to].label })}
          </p>
          <QueuedLine entry={entry} subject={t('move of {name}', { name: entry.jobName })} />
        </li>
      ))}
    </ul>
  )
}
