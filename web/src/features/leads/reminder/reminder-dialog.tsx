import { useQuery } from '@tanstack/react-query'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { OwnPhoneOffer } from '@/features/own-phone/own-phone-offer'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import type { LeadDetail } from '../queries'
import { reminderMessages as texts } from './messages'
import { useSendReminder } from './mutations'
import { type Reminder, reminderQuery } from './queries'

type ReminderDialogProps = { lead: Pick<LeadDetail, 'id'>; onClose: () => void }

export function ReminderDialog({ lead, onClose }: ReminderDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const reminder = useQuery(reminderQuery(orgId, lead.id))
  // An earlier preview may be outdated.
  const fresh = reminder.isFetching ? { ...reminder, data: undefined } : reminder
  return (
    <Dialog open onClose={onClose} title={t('Send Reminder')}>
      <QueryBoundary query={fresh} errorText={texts.failed} timeZone={orgTimezone}>
        {(found) => <ReminderPreview leadId={lead.id} reminder={found} timeZone={orgTimezone} onClose={onClose} />}
      </QueryBoundary>
    </Dialog>
  )
}

type PreviewProps = { leadId: string; reminder: Reminder; timeZone: string; onClose: () => void }

function ReminderPreview({ leadId, reminder, timeZone, onClose }: PreviewProps) {
  const send = useSendReminder(leadId)
  const { what, channel, to, text, why, cannot, lastAt, ownPhone } = reminder
  return (
    <div className="grid gap-4">
      {what ? (
        <p>{why}</p>
      ) : (
        <Notice tone="info" title={texts.nothing}>
          <p>{why}</p>
        </Notice>
      )}
      {cannot && (
        <Notice tone="warning" title={texts.cannot}>
          <p className="first-letter:uppercase">{cannot}.</p>
        </Notice>
      )}
      {channel && text && (
        <div className="grid gap-1.5">
          <p className="text-note text-muted">
            {t('By {channel} to {to}', { channel: MESSAGE_CHANNELS[channel].inSentence, to: to ?? '' })}
          </p>
          <blockquote className="rounded-box border border-primary/30 bg-primary/8 p-3 whitespace-pre-line wrap-anywhere">
            {text}
          </blockquote>
        </div>
      )}
      {ownPhone && <OwnPhoneOffer offer={ownPhone} timeZone={timeZone} />}
      {lastAt && (
        <p className="text-note text-muted">
          {t('They were last reminded of it on {time}.', { time: formatDateTime(lastAt, timeZone) })}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
        {text && (
          <Button
            icon="send"
            pending={send.isPending}
            pendingText={t('Sending...')}
            onClick={() => send.mutate(undefined, { onSuccess: onClose })}
          >
            {t('Send Reminder')}
          </Button>
        )}
      </div>
    </div>
  )
}
