// Message not yet accepted by the server.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import { formatDuration } from '@/lib/format/duration'
import { useNow } from '@/lib/hooks/use-now'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { needsConfirmation } from '@/offline/outbox/entry'
import { outboxTexts } from '@/offline/outbox/texts'
import { useIsOutboxSending } from '@/offline/outbox/use-outbox'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import { StatusLine } from '@/ui/status-line'
import type { OutgoingMessage, QueuedMessage } from '../lib/message-outbox'
import { BubbleButton } from './bubble-actions'

const MINUTE_MS = 60_000

type OutgoingActions = { onAgain: () => void; onConfirm: () => void; onTakeBack: () => void }
type OutgoingBubbleProps = { entry: OutgoingMessage } & OutgoingActions

export function OutgoingBubble({ entry, ...actions }: OutgoingBubbleProps) {
  const { request, fault: error, queued } = entry
  return (
    <li className="flex flex-col items-end gap-0.5">
      <div
        className={classNames(
          'w-fit max-w-[88%] rounded-box rounded-br-sm border bg-primary/10 px-3 py-2 sm:max-w-[75%]',
          error === null ? 'border-primary/40' : 'border-dashed border-error/55',
          error === null && queued && 'border-dashed',
        )}
      >
        {request.channel === 'email' && (
          <p className="flex items-start gap-2 font-semibold wrap-anywhere">
            <Icon name="mail" className="mt-0.5 text-primary" />
            {request.subject}
          </p>
        )}
        <p className="wrap-anywhere whitespace-pre-line">{request.body}</p>
      </div>
      {error !== null ? (
        <FailedState error={error} {...actions} />
      ) : queued ? (
        <QueuedState queued={queued} {...actions} />
      ) : (
        <UnderWay>{t('Handing over...')}</UnderWay>
      )}
    </li>
  )
}

function UnderWay({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="flex min-h-9 items-center gap-1.5 px-1 text-caption text-muted">
      <Spinner />
      {children}
    </p>
  )
}

function FailedState({ error, onAgain, onTakeBack }: { error: string } & OutgoingActions) {
  return (
    <>
      <p role="alert" className="flex min-h-9 max-w-[88%] items-start gap-1 px-1 text-caption font-semibold text-error">
        <Icon name="alert" className="mt-0.5 size-4" />
        <span>{t('Not sent: {error}', { error })}</span>
      </p>
      <div className="flex flex-wrap justify-end gap-2 pb-1">
        <BubbleButton icon="refresh" onClick={onAgain}>
          {t('Try again')}
        </BubbleButton>
        <BubbleButton icon="arrow-left" onClick={onTakeBack}>
          {t('Edit')}
        </BubbleButton>
      </div>
    </>
  )
}

/** Waits on this device; what waited too long is asked about. */
function QueuedState({ queued, onConfirm, onTakeBack }: { queued: QueuedMessage } & OutgoingActions) {
  const now = useNow(MINUTE_MS)
  const isOnline = useOnline()
  const isSending = useIsOutboxSending()
  const isStale = needsConfirmation(queued, now)
  const waited = formatDuration(Math.max(1, Math.round((now - Date.parse(queued.happenedAt)) / MINUTE_MS)))
  if (!isStale && isOnline && isSending) return <UnderWay>{outboxTexts.sending}</UnderWay>
  return (
    <>
      <div role="status" className="max-w-[88%] px-1 py-1">
        <StatusLine tone="warning" icon="clock">
          {isStale ? outboxTexts.stillSend(waited) : outboxTexts.waiting}
        </StatusLine>
      </div>
      <div className="flex flex-wrap justify-end gap-2 pb-1">
        {isStale && (
          <BubbleButton icon="send" onClick={onConfirm}>
            {t('Send')}
          </BubbleButton>
        )}
        <BubbleButton icon="undo" onClick={onTakeBack}>
          {outboxTexts.undo}
        </BubbleButton>
      </div>
    </>
  )
}
