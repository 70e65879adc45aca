// Webhook address for reviews of other programs, shown once.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { useCreateReviewKey, useRemoveReviewKey } from '../review-key-mutations'
import type { ReviewKey } from '../types'

const texts = settingsMessages.reviews

export function ReviewKeyCard() {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const key = useQuery(settingsQueries.reviewKey(orgId))
  return (
    <Card title={t('Reviews from other programs')} icon="external">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-note text-muted">
          {t('A program that collects your reviews elsewhere can bring them here: it sends each to your own address.')}
        </p>
        <QueryBoundary query={key} errorText={texts.keyFailed} timeZone={orgTimezone}>
          {(reviewKey) => <ReviewConnection reviewKey={reviewKey} isOwner={role === 'owner'} timeZone={orgTimezone} />}
        </QueryBoundary>
      </div>
    </Card>
  )
}

function ReviewConnection({
  reviewKey: { isSet, hint, createdAt, lastReceivedAt },
  isOwner,
  timeZone,
}: {
  reviewKey: ReviewKey
  isOwner: boolean
  timeZone: string
}) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {isSet && (
        <StatusLine tone="success" icon="check-circle">
          {createdAt
            ? t('open with the key {hint}, made {date}', {
                hint: hint ?? '',
                date: formatDateTime(createdAt, timeZone),
              })
            : t('open with the key {hint}', { hint: hint ?? '' })}
        </StatusLine>
      )}
      {isSet &&
        (lastReceivedAt ? (
          <StatusLine tone="success" icon="inbox">
            {t('last review {date}', { date: formatDateTime(lastReceivedAt, timeZone) })}
          </StatusLine>
        ) : (
          <StatusLine tone="neutral" icon="clock">
            {t('nothing has come there yet')}
          </StatusLine>
        ))}
      {isOwner ? (
        <KeyActions isSet={isSet} />
      ) : (
        <p className="text-note text-muted">{t('Only the owner can change this.')}</p>
      )}
    </div>
  )
}

function KeyActions({ isSet }: { isSet: boolean }) {
  const isOnline = useOnline()
  const [asking, setAsking] = useState<'another' | 'remove'>()
  const make = useCreateReviewKey()
  const remove = useRemoveReviewKey()
  const close = () => setAsking(undefined)
  return (
    <>
      {/* Kept by this screen alone: once it is left the key is nowhere to be read. */}
      {make.data && (
        <Notice tone="info" title={t('Copy this address now')}>
          <p className="mb-2">
            {t('It is shown this once. Anyone who has it can send reviews: treat it like a password.')}
          </p>
          <CopyField
            label={t('other programs')}
            value={make.data.url}
            copied={texts.copied}
            failed={settingsMessages.copyFailed}
          />
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          icon="plus"
          disabled={!isOnline}
          pending={make.isPending}
          pendingText={t('Making...')}
          onClick={() => (isSet ? setAsking('another') : make.mutate())}
        >
          {isSet ? t('Make another key') : t('Make a key')}
        </Button>
        {isSet && (
          <Button variant="ghost" icon="trash" disabled={!isOnline} onClick={() => setAsking('remove')}>
            {t('Remove the key')}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={asking === 'another'}
        title={t('Make another key?')}
        verb={t('Make another key')}
        isPending={make.isPending}
        onClose={close}
        onSure={() => make.mutate(undefined, { onSuccess: close })}
      >
        {t('The previous key no longer works: every program that uses it must be given the new address.')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'remove'}
        title={t('Remove the key?')}
        verb={t('Remove the key')}
        isPending={remove.isPending}
        onClose={close}
        onSure={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              close()
              make.reset()
            },
          })
        }
      >
        {t('Its address no longer works. Reviews that came through it stay.')}
      </ConfirmDialog>
    </>
  )
}

type SureProps = {
  open: boolean
  title: string
  verb: string
  isPending: boolean
  onClose: () => void
  onSure: () => void
  children: string
}

function ConfirmDialog({ open, title, verb, isPending, onClose, onSure, children }: SureProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep')}
          </Button>
          <Button variant="danger" pending={isPending} onClick={onSure}>
            {verb}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  )
}
