import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { classNames } from '@/lib/class-names'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { Card } from '@/ui/card'
import { useCheckItem } from '../mutations'
import type { JobDetail } from '../types'

type ChecklistCardProps = { job: JobDetail; timeZone: string }

export function ChecklistCard({ job, timeZone }: ChecklistCardProps) {
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
          <ChecklistRow key={line.id} job={job} line={line} timeZone={timeZone} />
        ))}
      </ul>
    </Card>
  )
}

type CheckLineProps = { job: JobDetail; line: JobDetail['checklist'][number]; timeZone: string }

function ChecklistRow({ job, line, timeZone }: CheckLineProps) {
  const check = useCheckItem(job)
  const isOff = !useOnline() && isDemoMode()
  const waiting = useEntriesOfKind('check', job.id).findLast(({ command }) => command.checkId === line.id)
  // Optimistic: shows the choice until the response.
  const [chosen, setChosen] = useState<boolean>()
  const pending = waiting?.refusal === null ? waiting.command.done : undefined
  const isDone = chosen ?? pending ?? Boolean(line.doneAt)
  const choose = (done: boolean) => {
    setChosen(done)
    check.mutate({ checkId: line.id, done }, { onSettled: () => setChosen(undefined) })
  }
  return (
    <li>
      <label className="flex min-h-12 cursor-pointer items-center gap-3 py-2">
        <input
          type="checkbox"
          className="checkbox checkbox-primary"
          checked={isDone}
          disabled={isOff || check.isPending}
          onChange={(event) => choose(event.target.checked)}
        />
        <span className="min-w-0 wrap-anywhere">
          <span className={classNames(isDone && 'text-muted line-through')}>{line.label}</span>
          {line.doneAt && chosen === undefined && !waiting && (
            <span className="block text-caption text-muted">
              {line.doneBy && `${line.doneBy}, `}
              {formatDateTime(line.doneAt, timeZone)}
            </span>
          )}
        </span>
      </label>
      {waiting && <QueuedLine entry={waiting} subject={line.label} />}
    </li>
  )
}
