import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import type { JobDetail } from '@/features/jobs/types'
import { useRunCommand } from '../lib/use-run-command'
import { SyncStatusLabel } from './sync-status-label'

/** `job` with the pending changes of this phone. */
export function ChecklistSection({ job }: { job: JobDetail }) {
  const { checklist } = job
  if (checklist.length === 0) return null
  const done = checklist.filter(({ doneAt }) => doneAt).length
  return (
    <Card
      title={t('Checklist')}
      icon="check-circle"
      aside={
        <span className="text-note text-muted tabular-nums">
          {t('{done} of {total} done', { done, total: checklist.length })}
        </span>
      }
    >
      <ul className="-my-1 grid divide-y divide-primary/15">
        {checklist.map((line) => (
          <ChecklistItem key={line.id} job={job} line={line} />
        ))}
      </ul>
    </Card>
  )
}

type ChecklistItemProps = { job: JobDetail; line: JobDetail['checklist'][number] }

export function ChecklistItem({ job, line: { id, label, doneAt, doneBy } }: ChecklistItemProps) {
  const { orgTimezone } = useCurrentUser()
  const act = useRunCommand(job)
  const waiting = useJobOutboxEntries(job.id).findLast(
    ({ command }) => command.kind === 'check' && command.checkId === id,
  )
  // Optimistic: shows the choice before it is stored on the device.
  const [chosen, setChosen] = useState<boolean>()
  const isDone = chosen ?? Boolean(doneAt)
  const choose = async (done: boolean) => {
    setChosen(done)
    await act({ kind: 'check', checkId: id, done })
    setChosen(undefined)
  }
  return (
    <li>
      <label className="flex min-h-14 cursor-pointer items-center gap-3 py-2 text-crew">
        <input
          type="checkbox"
          className="checkbox checkbox-primary"
          checked={isDone}
          onChange={(event) => void choose(event.target.checked)}
        />
        <span className="min-w-0 wrap-anywhere">
          <span className={classNames(isDone && 'text-muted line-through')}>{label}</span>
          {waiting ? (
            <SyncStatusLabel entry={waiting} />
          ) : (
            doneAt && (
              <span className="block text-caption text-muted">
                {doneBy && `${doneBy}, `}
                {formatDateTime(doneAt, orgTimezone)}
              </span>
            )
          )}
        </span>
      </label>
    </li>
  )
}
