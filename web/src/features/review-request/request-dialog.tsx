// Request Review: what the customer would be asked, in its words and at its time, before it goes; or why they cannot be asked.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDate } from '@/lib/format/date'
import { dayName } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { requestMessages as texts } from './messages'
import { useRequestReview } from './mutations'
import { requestQuery } from './queries'
import type { AskedFor, RequestPreview } from './types'
import { whenWords } from './when-words'

type RequestDialogProps = { of: AskedFor; onClose: () => void }

export function RequestDialog({ of, onClose }: RequestDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const preview = useQuery(requestQuery(orgId, of))
  // What was previewed once may have been answered meanwhile.
  const fresh = preview.isFetching ? { ...preview, data: undefined } : preview
  return (
    <Dialog open onClose={onClose} title={texts.title}>
      <QueryBoundary query={fresh} errorText={texts.failed} timeZone={orgTimezone}>
        {(found) => <Preview of={of} preview={found} timeZone={orgTimezone} onClose={onClose} />}
      </QueryBoundary>
    </Dialog>
  )
}

type PreviewProps = RequestDialogProps & { preview: RequestPreview; timeZone: string }

function Preview({ of, preview, timeZone, onClose }: PreviewProps) {
  const { role } = useCurrentUser()
  const [isSure, setIsSure] = useState(false)
  const request = useRequestReview(of)
  const { canAsk, needsOverride, why } = preview
  const mayOverride = needsOverride && role === 'owner'
  const isOpen = mayOverride || (canAsk && !needsOverride)
  return (
    <div className="grid gap-4">
      {needsOverride && (
        <Again preview={preview} isOwner={mayOverride} timeZone={timeZone} isSure={isSure} onSure={setIsSure} />
      )}
      {!canAsk && !needsOverride && (
        <Notice tone="warning" title={texts.cannot}>
          <p>{why}</p>
        </Notice>
      )}
      {isOpen && <Words preview={preview} timeZone={timeZone} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          Close
        </Button>
        {isOpen && (
          <Button
            icon="star"
            disabled={needsOverride && !isSure}
            pending={request.isPending}
            pendingText="Asking..."
            onClick={() => request.mutate(needsOverride, { onSuccess: onClose })}
          >
            {needsOverride ? 'Ask again' : texts.title}
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
function Again({ preview: { why, lastAskedAt }, isOwner, timeZone, isSure, onSure }: AgainProps) {
  return (
    <>
      <Notice tone="warning" title={texts.again}>
        <p>{why}</p>
        {lastAskedAt && <p>The last time was {formatDate(lastAskedAt, timeZone)}.</p>}
        <p className="mt-1">
          {isOwner
            ? 'Once in 180 days is enough for most people. More often they tire of it, and say STOP.'
            : 'Only the owner may ask them again so soon.'}
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
          Ask them again all the same
        </label>
      )}
    </>
  )
}

/** `Tue, Nov 24 and Sat, Nov 28` */
const days = (instants: readonly string[], timeZone: string, now: number) =>
  instants.map((at) => dayName(timeZone, Date.parse(at), now)).join(' and ')

function Words({
  preview: { channel, to, text, at, followUps },
  timeZone,
}: {
  preview: RequestPreview
  timeZone: string
}) {
  const [now] = useState(() => Date.now())
  if (!channel || !text) return null
  return (
    <div className="grid gap-1.5">
      <p className="text-note text-muted">
        By {MESSAGE_CHANNELS[channel].inSentence} to {to}
        {at ? `, ${whenWords(at, timeZone, now)}` : ''}
      </p>
      <blockquote className="rounded-box border border-primary/30 bg-primary/8 p-3 whitespace-pre-line wrap-anywhere">
        {text}
      </blockquote>
      {followUps.length > 0 && (
        <p className="text-note text-muted">
          Again on {days(followUps, timeZone, now)}, unless they answer, leave a review or say STOP first.
        </p>
      )}
    </div>
  )
}
