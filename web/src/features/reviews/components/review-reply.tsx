import { lazy, Suspense, useState } from 'react'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import { reviewsMessages as texts } from '../messages'
import type { Review } from '../types'

const ReplyEditor = lazy(async () => ({ default: (await import('./reply-editor')).ReplyEditor }))

type ReviewReplyProps = { review: Review; /** Begins with the pad open. */ isOpen: boolean }

export function ReviewReply({ review, isOpen }: ReviewReplyProps) {
  const { reply } = review
  const isOnline = useOnline()
  const [isWriting, setIsWriting] = useState(isOpen && !reply)
  if (isWriting)
    return (
      <Suspense fallback={null}>
        <ReplyEditor review={review} onClose={() => setIsWriting(false)} />
      </Suspense>
    )
  if (reply) return <SavedReply reply={reply} isOnline={isOnline} onChange={() => setIsWriting(true)} />
  return (
    <div>
      <Button variant="secondary" icon="message" disabled={!isOnline} onClick={() => setIsWriting(true)}>
        Draft an answer
      </Button>
    </div>
  )
}

type KeptProps = { reply: NonNullable<Review['reply']>; isOnline: boolean; onChange: () => void }

function SavedReply({ reply: { text, keptAt, by }, isOnline, onChange }: KeptProps) {
  const { orgTimezone } = useCurrentUser()
  return (
    <div className="grid gap-2 border-l-2 border-primary/55 pl-3">
      <p className="text-caption text-muted">
        Your answer, kept {formatDate(keptAt, orgTimezone)}
        {by ? ` by ${by}` : ''}
      </p>
      <p className="text-note whitespace-pre-line wrap-anywhere">{text}</p>
      <div className="flex flex-wrap gap-2">
        <CopyButton label="Copy the answer" value={text} copied={texts.replyCopied} failed={texts.copyFailed}>
          Copy
        </CopyButton>
        <Button variant="ghost" icon="pencil" disabled={!isOnline} onClick={onChange}>
          Change
        </Button>
      </div>
    </div>
  )
}
