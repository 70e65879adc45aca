import { LEAD_STAGES } from '@/domain/lead'
import { QueuedLine } from '@/offline/outbox/queued-line'
import type { EntryOfKind } from '@/offline/outbox/use-outbox'

/** Moves that wait for a connection, or were refused. */
export function PendingMoveList({ entries }: { entries: readonly EntryOfKind<'lead_stage'>[] }) {
  return (
    <ul aria-label="Moves on this device" className="glass-card mb-3 grid gap-2 p-3">
      {entries.map((entry) => (
        <li key={entry.id}>
          <p className="wrap-anywhere">
            {entry.jobName} to {LEAD_STAGES[entry.command.to].label}
          </p>
          <QueuedLine entry={entry} subject={`move of ${entry.jobName}`} />
        </li>
      ))}
    </ul>
  )
}
