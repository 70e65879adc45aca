import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDate } from '@/lib/format/date'
import { formatDayName } from '@/lib/format/zone-time'
import { OwnPhoneOffer } from '@/features/own-phone/own-phone-offer'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { reviewRequestMessages as texts } from './messages'
import { useRequestReview } from './mutations'
import { reviewRequestQuery } from './queries'
import type { ReviewRequestTarget, RequestPreview } from './types'
import { formatSendTime } from './send-time-text'

type ReviewRequestDialogProps = { target: ReviewRequestTarget; onClose: () => void }

export function ReviewRequestDialog({ target, onClose }: ReviewRequestDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const preview = useQuery(reviewRequestQuery(orgId, target))
  // An earlier preview may be outdated.
  const fresh = preview.isFetching ? { ...preview, data: undefined } : preview
  return (
    <Dialog open onClose={onClose} title={texts.title}>
      <QueryBoundary query={fresh} errorText={texts.failed} timeZone={orgTimezone}>
        {(found) => <RequestPreviewForm target={target} preview={found} timeZone={orgTimezone} onClose={onClose} />}
      </QueryBoundary>
    </Dialog>
  )
}

type PreviewProps = ReviewRequestDialogProps & { preview: RequestPreview; timeZone: string }

function RequestPreviewForm({ target, preview, timeZone, onClose }: PreviewProps) {
  const { role } = useCurrentUser()
  const [isSure, setIsSure] = useState(false)
  const request = useRequestReview(target)
  const { canAsk, needsOverride, why, ownPhone } = preview
  const mayOverride = needsOverride && role === 'owner'
  const isOpen = mayOverride || (canAsk && !needsOverride)
  return (
    <div className="grid gap-4">
      {needsOverride && (
        <AskAgain preview={preview} isOwner={mayOverride} timeZone={timeZone} isSure={isSure} onSure={setIsSure} />
      )}
      {!canAsk && !needsOverride && (
        <Notice tone="warning" title={texts.cannot}>
          <p>{why}</p>
        </Notice>
      )}
      {ownPhone && <OwnPhoneOffer offer={ownPhone} timeZone={timeZone} />}
      {isOpen && <MessageText preview={preview} timeZone={timeZone} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
        {isOpen && (
          <Button
            icon="star"
            disabled={needsOverride && !isSure}
            pending={request.isPending}
            pendingText={t('Asking...')}
            onClick={() => request.mutate(needsOverride, { onSuccess: onClose })}
          >
            {needsOverride ? t('Ask again') : texts.title}
          </Button>
        )}
      </div>
    </div>
  )
}

type AgainProps = {
  preview: RequestPreview
  isOwner: boolean
  timeZone: string
  isSure: boolean
  onSure: (isSure: boolean) => void
}

/** Somebody asked twice within half a year: only an owner may, who says so. */
function AskAgain({ preview: { why, lastAskedAt }, isOwner, timeZone, isSure, onSure }: AgainProps) {
  return (
    <>
      <Notice tone="warning" title={texts.again}>
        <p>{why}</p>
        {lastAskedAt && <p>{t('The last time was {date}.', { date: formatDate(lastAskedAt, timeZone) })}</p>}
        <p className="mt-1">
          {isOwner
            ? t('Once in 180 days is enough for most people. More often they tire of it, and say STOP.')
            : t('Only the owner may ask them again so soon.')}
        </p>
      </Notice>
      {isOwner && (
        <label className="flex min-h-12 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            className="checkbox checkbox-primary"
            checked={isSure}
            onChange={(event) => onSure(event.target.checked)}
          />
          {t('Ask them again all the same')}
        </label>
      )}
    </>
  )
}

/** `Tue, Nov 24 and Sat, Nov 28` */
const formatDays = (instants: readonly string[], timeZone: string, now: number) =>
  instants
    .map((at) => formatDayName(timeZone, Date.parse(at), now))
    .reduce((first, second) => t('{first} and {second}', { first, second }))

function MessageText({
  preview: { channel, to, text, at, followUps },
  timeZone,
}: {
  preview: RequestPreview
  timeZone: string
}) {
  const [now] = useState(() => Date.now())
  if (!channel || !text) return null
  const way = { channel: MESSAGE_CHANNELS[channel].inSentence, to: to ?? '' }
  return (
    <div className="grid gap-1.5">
      <p className="text-note text-muted">
        {at
          ? t('By {channel} to {to}, {time}', { ...way, time: formatSendTime(at, timeZone, now) })
          : t('By {channel} to {to}', way)}
      </p>
      <blockquote className="rounded-box border border-primary/30 bg-primary/8 p-3 whitespace-pre-line wrap-anywhere">
        {text}
      </blockquote>
      {followUps.length > 0 && (
        <p className="text-note text-muted">
          {t('Again on {days}, unless they answer, leave a review or say STOP first.', {
            days: formatDays(followUps, timeZone, now),
          })}
        </p>
      )}
    </div>
  )
}
