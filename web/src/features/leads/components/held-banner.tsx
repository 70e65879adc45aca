import { formatIdentifier } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useReleaseLead } from '../mutations'
import type { LeadDetail } from '../queries'

type Message = LeadDetail['messages'][number]

const SENT_STATUSES: readonly Message['status'][] = ['sent', 'delivered']
const PENDING_STATUSES: readonly Message['status'][] = ['queued', 'held']

/** What they were answered by itself: in a flood of requests the email still goes out, and a lead can be held again. */
function describeSentReplies(messages: readonly Message[]): string {
  const replies = messages.filter(
    ({ direction, customerId, kind }) => direction === 'out' && customerId && kind !== 'manual',
  )
  const channels = (statuses: readonly Message['status'][]) =>
    new Set(replies.filter(({ status }) => statuses.includes(status)).map(({ channel }) => channel))
  const [gone, leaving, waiting, doubt] = [
    channels(SENT_STATUSES),
    channels(['sending']),
    channels(PENDING_STATUSES),
    channels(['unknown']),
  ]
  if (gone.size === 2) return t('They were answered by text and by email.')
  if (gone.has('email')) return t('They were answered by email. No automatic text has gone out.')
  if (gone.has('sms')) return t('They were answered by text. No automatic email has gone out.')
  if (leaving.has('sms')) return t('An automatic text to them is on its way.')
  if (leaving.size > 0) return t('An automatic email to them is on its way.')
  if (waiting.has('sms')) return t('An automatic text to them waits to be sent.')
  if (waiting.size > 0) return t('An automatic email to them waits to be sent.')
  if (doubt.size > 0)
    return t("We can't tell if an automatic reply was delivered. Check with the customer before you send it again.")
  return t('No automatic reply has gone out.')
}

export function HeldLeadBanner({ lead, reason }: { lead: LeadDetail; reason: string }) {
  const { id, messages, customerId } = lead
  const release = useReleaseLead(id)
  const { role } = useCurrentUser()
  return (
    <Notice tone="warning" icon="shield" title={t('This request is held')}>
      <p>
        {formatIdentifier(reason)}. {describeSentReplies(messages)}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          icon="check"
          pending={release.isPending}
          pendingText={t('Releasing it...')}
          onClick={() => release.mutate()}
        >
          {t('Release it')}
        </Button>
        {role === 'owner' && (
          <LinkButton to={`${paths.customer(customerId)}?do=erase`} variant="secondary" icon="trash">
            {t('Delete')}
          </LinkButton>
        )}
      </div>
    </Notice>
  )
}
