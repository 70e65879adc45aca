import { useId, useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { useReportDirty } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { jobsMessages } from '../messages'
import { useAddJobNote } from '../mutations'
import type { JobDetail } from '../types'

type NotesCardProps = { job: JobDetail; timeZone: string }

export function NotesCard({ job, timeZone }: NotesCardProps) {
  const { notes } = job
  const waiting = useEntriesOfKind('note', job.id)
  return (
    <Card title={t('Crew Notes')} icon="pencil">
      <div className="grid gap-4">
        {waiting.length > 0 && (
          <ul aria-label={t('Notes on this device')} className="grid gap-3">
            {waiting.map((entry) => (
              <li key={entry.id} className="border-l-2 border-warning pl-3">
                <p className="max-w-[68ch] wrap-anywhere whitespace-pre-line">{entry.command.body}</p>
                <QueuedLine entry={entry} subject={t('note')} />
              </li>
            ))}
          </ul>
        )}
        {notes.length === 0 ? (
          <p className="text-muted">{t('No notes yet.')}</p>
        ) : (
          <ul className="grid gap-3">
            {notes.map(({ id: noteId, body, author, at }) => (
              <li key={noteId} className="border-l-2 border-accent/55 pl-3">
                <p className="max-w-[68ch] wrap-anywhere whitespace-pre-line">{body}</p>
                <p className="text-note text-muted">
                  {author}, {formatDateTime(at, timeZone)}
                </p>
              </li>
            ))}
          </ul>
        )}
        <AddNote job={job} />
      </div>
    </Card>
  )
}

function AddNote({ job }: { job: JobDetail }) {
  const id = useId()
  const isOnline = useOnline()
  const [body, setBody] = useState('')
  const add = useAddJobNote(job)
  const typed = body.trim()
  useReportDirty(typed !== '')
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="sr-only">
        {t('New note')}
      </label>
      <textarea
        id={id}
        rows={2}
        className="textarea"
        placeholder={t('Gate code, where the valve is, what was agreed')}
        value={body}
        disabled={add.isPending}
        onChange={(event) => setBody(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="secondary"
          icon="plus"
          disabled={typed === '' || (!isOnline && isDemoMode())}
          pending={add.isPending}
          pendingText={t('Adding...')}
          onClick={() => add.mutate(typed, { onSuccess: () => setBody('') })}
        >
          {t('Add note')}
        </Button>
        {!isOnline && isDemoMode() && <p className="text-note text-warning">{jobsMessages.offline}</p>}
      </div>
    </div>
  )
}
