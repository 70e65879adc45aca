// Job notes with pending ones, newest first.
import { useId } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useReportDirty } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import type { JobDetail } from '@/features/jobs/types'
import { useRunCommand } from '../lib/use-run-command'
import { useNoteDraft } from '../lib/use-note-draft'
import { SyncStatusLabel } from './sync-status-label'

export function NotesSection({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const waiting = useJobOutboxEntries(job.id).toReversed()
  return (
    <Card title={t('Notes')} icon="pencil">
      <div className="grid gap-4">
        <AddNote job={job} />
        <ul className="grid gap-3 empty:hidden">
          {waiting.map(
            (entry) =>
              entry.command.kind === 'note' && (
                <li key={entry.id} className="border-l-2 border-warning pl-3">
                  <p className="wrap-anywhere whitespace-pre-line">{entry.command.body}</p>
                  <SyncStatusLabel entry={entry} />
                </li>
              ),
          )}
          {job.notes.map(({ id, body, author, at }) => (
            <li key={id} className="border-l-2 border-accent/55 pl-3">
              <p className="wrap-anywhere whitespace-pre-line">{body}</p>
              <p className="text-note text-muted">
                {author}, {formatDateTime(at, orgTimezone)}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}

function AddNote({ job }: { job: JobDetail }) {
  const id = useId()
  const { id: account, orgId } = useCurrentUser()
  const [body, type] = useNoteDraft(`${orgId}:${account}`, `note:${job.id}`)
  const act = useRunCommand(job)
  const typed = body.trim()
  useReportDirty(typed !== '')
  const add = async () => {
    if (await act({ kind: 'note', body: typed })) type('')
  }
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="sr-only">
        {t('New note')}
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={4000}
        className="textarea"
        placeholder={t('Gate code, where the valve is, what was agreed')}
        value={body}
        onChange={(event) => type(event.target.value)}
      />
      <Button variant="secondary" icon="plus" wide disabled={typed === ''} onClick={() => void add()}>
        {t('Add note')}
      </Button>
    </div>
  )
}
