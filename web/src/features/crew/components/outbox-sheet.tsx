import { formatDateTime } from '@/lib/format/date'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import type { OutboxEntry } from '@/offline/outbox/entry'
import { needsConfirmation } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { confirmQueued, retryQueued, undoQueued } from '@/offline/outbox/queued-line'
import { outboxTexts } from '@/offline/outbox/texts'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import { describeCommand } from '../lib/command-text'
import { crewMessages as texts } from '../messages'
import { SyncStatusLabel } from './sync-status-label'
import { PendingPhotoThumb } from './pending-photo-thumb'

const MINUTE_MS = 60_000

export function OutboxSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const entries = useOutboxEntries()
  const refused = entries.filter(({ refusal }) => refusal !== null)
  const waiting = entries.filter(({ refusal }) => refusal === null)
  return (
    <Dialog open={open} onClose={onClose} title={t('Not sent yet')}>
      <div className="grid gap-5">
        {entries.length === 0 && <p className="text-muted">{t('Everything has been sent.')}</p>}
        {refused.length > 0 && (
          <section className="grid gap-2">
            <h3 className="font-semibold text-error">{t('Needs attention')}</h3>
            <ul className="grid gap-2">
              {refused.map((entry) => (
                <OutboxItem key={entry.id} entry={entry} />
              ))}
            </ul>
          </section>
        )}
        {waiting.length > 0 && (
          <section className="grid gap-2">
            <h3 className="font-semibold">{t('Waiting')}</h3>
            <p className="text-note text-muted">
              {t('Kept on this phone and sent by itself when there is a connection. Do not sign out before.')}
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
  const isStale = needsConfirmation(entry, useNow(MINUTE_MS))
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
        {entry.refusal === null && (
          <div className="mt-2 flex flex-wrap items-center gap-2">
            {isStale && (
              <>
                <StatusLine tone="warning" icon="clock">
                  {texts.waitedTooLong}
                </StatusLine>
                <Button variant="secondary" icon="send" onClick={() => void confirmQueued(entry)}>
                  {t('Send')}
                </Button>
              </>
            )}
            <Button variant="ghost" icon="undo" onClick={() => void undoQueued(entry)}>
              {outboxTexts.undo}
              <span className="sr-only">: {title}</span>
            </Button>
          </div>
        )}
        {entry.refusal !== null && (
          <>
            <div className="mt-1">
              <SyncStatusLabel entry={entry} />
            </div>
            <div className="mt-2 flex flex-wrap gap-2">
              <Button variant="secondary" icon="refresh" onClick={() => void retryQueued(entry)}>
                {t('Try again')}
              </Button>
              <Button variant="ghost" icon="trash" onClick={() => void outbox.discard(entry)}>
                {t('Discard')}
              </Button>
            </div>
          </>
        )}
      </div>
    </li>
  )
}
