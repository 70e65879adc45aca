import { lazy, Suspense, useState } from 'react'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { type EntryOfKind, useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import { reviewsMessages as texts } from '../messages'
import type { Review } from '../types'

const ReplyEditor = lazy(async () => ({ default: (await import('./reply-editor')).ReplyEditor }))

type ReviewReplyProps = { review: Review; /** Begins with the pad open. */ isOpen: boolean }

export function ReviewReply({ review, isOpen }: ReviewReplyProps) {
  const { reply } = review
  // The editor needs a connection to begin; what is written there does not.
  const isOnline = useOnline()
  const waiting = useEntriesOfKind('review_reply', review.id)
  const [isWriting, setIsWriting] = useState(isOpen && !reply && waiting.length === 0)
  if (isWriting)
    return (
      <Suspense fallback={null}>
        <ReplyEditor review={review} onClose={() => setIsWriting(false)} />
      </Suspense>
    )
  return (
    <>
      {waiting.map((entry) => (
        <PendingReply key={entry.id} entry={entry} />
      ))}
      {reply ? (
        <SavedReply reply={reply} isOnline={isOnline} onChange={() => setIsWriting(true)} />
      ) : (
        <div>
          <Button variant="secondary" icon="message" disabled={!isOnline} onClick={() => setIsWriting(true)}>
            {t('Draft an answer')}
          </Button>
        </div>
      )}
    </>
  )
}

/** An answer that waits on this device, or was refused. */
function PendingReply({ entry }: { entry: EntryOfKind<'review_reply'> }) {
  const { text } = entry.command
  return (
    <div className="border-l-2 border-warning pl-3">
      <p className="text-note whitespace-pre-line wrap-anywhere">{text ?? t('Answer to a review removed')}</p>
      <QueuedLine entry={entry} subject={t('Your answer')} />
    </div>
  )
}

type KeptProps = { reply: NonNullable<Review['reply']>; isOnline: boolean; onChange: () => void }

function SavedReply({ reply: { text, keptAt, by }, isOnline, onChange }: KeptProps) {
  const { orgTimezone } = useCurrentUser()
  const date = formatDate(keptAt, orgTimezone)
  return (
    <div className="grid gap-2 border-l-2 border-primary/55 pl-3">
      <p className="text-caption text-muted">
        {by ? t('Your answer, kept {date} by {name}', { date, name: by }) : t('Your answer, kept {date}', { date })}
      </p>
      <p className="text-note whitespace-pre-line wrap-anywhere">{text}</p>
      <div className="flex flex-wrap gap-2">
        <CopyButton label={t('Copy the answer')} value={text} copied={texts.replyCopied} failed={texts.copyFailed}>
          {t('Copy')}
        </CopyButton>
        <Button variant="ghost" icon="pencil" disabled={!isOnline} onClick={onChange}>
          {t('Change')}
        </Button>
      </div>
    </div>
  )
}
