// Where an answer is written: it begins with a draft in the business's own words, and is copied to where the review stands.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { reviewsMessages as texts } from '../messages'
import { useKeepReply } from '../mutations'
import { reviewQueries } from '../queries'
import { LIMITS } from '../schema'
import type { Review } from '../types'

type AnswerPadProps = { review: Review; onClose: () => void }

export function AnswerPad({ review, onClose }: AnswerPadProps) {
  const { orgId } = useCurrentUser()
  const detail = useQuery(reviewQueries.detail(orgId, review.id))
  return (
    <QueryBoundary query={detail} skeleton={<SkeletonLines lines={3} />} errorText={texts.reviewFailed}>
      {({ draft }) => <Pad review={review} began={review.reply?.text ?? draft} onClose={onClose} />}
    </QueryBoundary>
  )
}

function Pad({ review, began, onClose }: AnswerPadProps & { began: string }) {
  const [text, setText] = useState(began)
  const isOnline = useOnline()
  const keep = useKeepReply(review)
  const words = text.trim()
  const save = (kept: string | null) => keep.mutate(kept, { onSuccess: onClose })
  return (
    <div className="grid gap-3 border-l-2 border-primary/55 pl-3">
      <Field
        label="Your answer"
        unmarked
        hint="Nothing is posted by itself. Copy it, and paste it where the review stands."
      >
        {(wiring) => (
          <textarea
            rows={5}
            className="textarea"
            maxLength={LIMITS.reply}
            {...wiring}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          icon="check"
          disabled={!isOnline || words === ''}
          pending={keep.isPending && keep.variables !== null}
          pendingText="Keeping..."
          onClick={() => save(words)}
        >
          Keep
        </Button>
        <CopyButton label="Copy the answer" value={words} copied={texts.replyCopied} failed={texts.copyFailed}>
          Copy
        </CopyButton>
        {review.reply && (
          <Button
            variant="ghost"
            icon="trash"
            disabled={!isOnline}
            pending={keep.isPending && keep.variables === null}
            onClick={() => save(null)}
          >
            Remove
          </Button>
        )}
        <Button variant="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
      {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
    </div>
  )
}
