// Reply editor, started from a draft; the reply is copied to the review site manually.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { reviewsMessages as texts } from '../messages'
import { useSaveReply } from '../mutations'
import { reviewQueries } from '../queries'
import { REVIEW_FIELD_LIMITS } from '../schema'
import type { Review } from '../types'

type ReplyEditorProps = { review: Review; onClose: () => void }

export function ReplyEditor({ review, onClose }: ReplyEditorProps) {
  const { orgId } = useCurrentUser()
  const detail = useQuery(reviewQueries.detail(orgId, review.id))
  return (
    <QueryBoundary query={detail} skeleton={<SkeletonLines lines={3} />} errorText={texts.reviewFailed}>
      {({ draft }) => <ReplyForm review={review} initialText={review.reply?.text ?? draft} onClose={onClose} />}
    </QueryBoundary>
  )
}

function ReplyForm({ review, initialText, onClose }: ReplyEditorProps & { initialText: string }) {
  const [text, setText] = useState(initialText)
  const isOff = !useOnline() && isDemoMode()
  const keep = useSaveReply(review)
  const trimmed = text.trim()
  const save = (reply: string | null) => keep.mutate(reply, { onSuccess: onClose })
  return (
    <div className="grid gap-3 border-l-2 border-primary/55 pl-3">
      <Field
        label={t('Your answer')}
        unmarked
        hint={t('Nothing is posted automatically. Copy it, and paste it where the review is.')}
      >
        {(aria) => (
          <textarea
            rows={5}
            className="textarea"
            maxLength={REVIEW_FIELD_LIMITS.reply}
            {...aria}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          icon="check"
          disabled={isOff || trimmed === ''}
          pending={keep.isPending && keep.variables !== null}
          pendingText={t('Keeping...')}
          onClick={() => save(trimmed)}
        >
          {t('Keep')}
        </Button>
        <CopyButton label={t('Copy the answer')} value={trimmed} copied={texts.replyCopied} failed={texts.copyFailed}>
          {t('Copy')}
        </CopyButton>
        {review.reply && (
          <Button
            variant="ghost"
            icon="trash"
            disabled={isOff}
            pending={keep.isPending && keep.variables === null}
            onClick={() => save(null)}
          >
            {t('Remove')}
          </Button>
        )}
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
      </div>
      {isOff && <p className="text-note text-warning">{texts.offline}</p>}
    </div>
  )
}
