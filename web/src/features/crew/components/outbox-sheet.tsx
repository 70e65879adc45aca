import { formatDateTime } from '@/lib/format/date'
import type { OutboxEntry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { sendOutboxNow } from '@/offline/outbox/use-outbox-sync'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { describeCommand } from '../lib/command-text'
import { SyncStatusLabel } from './sync-status-label'
import { PendingPhotoThumb } from './pending-photo-thumb'

export function OutboxSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const entries = useOutboxEntries()
  const refused = entries.filter(({ refusal }) => refusal !== null)
  const waiting = entries.filter(({ refusal }) => refusal === null)
  return (
    <Dialog open={open} onClose={onClose} title="Not sent yet">
      <div className="grid gap-5">
        {entries.length === 0 && <p className="text-muted">Everything has been sent.</p>}
        {refused.length > 0 && (
          <section className="grid gap-2">
            <h3 className="font-semibold text-error">Needs attention</h3>
            <ul className="grid gap-2">
              {refused.map((entry) => (
                <OutboxItem key={entry.id} entry={entry} />
              ))}
            </ul>
          </section>
        )}
        {waiting.length > 0 && (
          <section className="grid gap-2">
            <h3 className="font-semibold">Waiting</h3>
            <p className="text-note text-muted">
              Kept on this phone and sent by itself when there is a connection. Do not sign out before.
            </p>
            <ul className="grid gap-2">
              {waiting.map((entry) => (
                <OutboxItem key={entry.id} entry={entry} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  )
}

function OutboxItem({ entry }: { entry: OutboxEntry }) {
  const { orgTimezone } = useCurrentUser()
  const { title, icon, body } = describeCommand(entry.command)
  const again = async () => {
    await outbox.again(entry)
    await sendOutboxNow()
  }
  return (
    <li className="flex gap-3 rounded-field border border-primary/22 p-3">
      {entry.command.kind === 'photo' ? (
        <PendingPhotoThumb photo={entry} className="size-14 shrink-0 rounded-field text-muted" />
      ) : (
        <Icon name={icon} className="mt-0.5 text-primary" />
      )}
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere">{title}</p>
        <p className="text-note text-muted wrap-anywhere">
          {entry.jobName}, {formatDateTime(entry.happenedAt, orgTimezone)}
        </p>
        {body !== undefined && <p className="mt-1 wrap-anywhere whitespace-pre-line select-text">{body}</p>}
        {entry.refusal !== null && (
          <>
            <div className="mt-1">
              <SyncStatusLabel entry={entry} />
            </div>
            <div className="mt-2 flex flex-wrap gap-2">
              <Button variant="secondary" icon="refresh" onClick={() => void again()}>
                Try again
              </Button>
              <Button variant="ghost" icon="trash" onClick={() => void outbox.discard(entry)}>
                Discard
              </Button>
            </div>
          </>
        )}
      </div>
    </li>
  )
}
