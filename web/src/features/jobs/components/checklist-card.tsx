import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { classNames } from '@/lib/class-names'
import { Card } from '@/ui/card'
import { useCheckItem } from '../mutations'
import type { JobDetail } from '../types'

type ChecklistCardProps = { job: JobDetail; timeZone: string }

export function ChecklistCard({ job: { id, checklist }, timeZone }: ChecklistCardProps) {
  if (checklist.length === 0) return null
  const done = checklist.filter(({ doneAt }) => doneAt).length
  return (
    <Card
      title="Checklist"
      icon="check-circle"
      aside={
        <span className="text-note text-muted tabular-nums">
          {done} of {checklist.length} done
        </span>
      }
    >
      <ul className="-my-1 grid divide-y divide-primary/15">
        {checklist.map((line) => (
          <ChecklistRow key={line.id} jobId={id} line={line} timeZone={timeZone} />
        ))}
      </ul>
    </Card>
  )
}

type CheckLineProps = { jobId: string; line: JobDetail['checklist'][number]; timeZone: string }

function ChecklistRow({ jobId, line, timeZone }: CheckLineProps) {
  const check = useCheckItem(jobId)
  const isOnline = useOnline()
  // Optimistic: shows the choice until the response.
  const [chosen, setChosen] = useState<boolean>()
  const isDone = chosen ?? Boolean(line.doneAt)
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
          disabled={!isOnline || check.isPending}
          onChange={(event) => choose(event.target.checked)}
        />
        <span className="min-w-0 wrap-anywhere">
          <span className={classNames(isDone && 'text-muted line-through')}>{line.label}</span>
          {line.doneAt && chosen === undefined && (
            <span className="block text-caption text-muted">
              {line.doneBy && `${line.doneBy}, `}
              {formatDateTime(line.doneAt, timeZone)}
            </span>
          )}
        </span>
      </label>
    </li>
  )
}
