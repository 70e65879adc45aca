import { formatIdentifier } from '@/lib/format/identifier'
import { Button } from '@/ui/button'
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
  if (gone.size === 2) return 'They were answered by text and by email.'
  if (gone.has('email')) return 'They were answered by email. No automatic text has gone out.'
  if (gone.has('sms')) return 'They were answered by text. No automatic email has gone out.'
  if (leaving.size > 0) return `An automatic ${leaving.has('sms') ? 'text' : 'email'} to them is on its way.`
  if (waiting.size > 0) return `An automatic ${waiting.has('sms') ? 'text' : 'email'} to them waits to be sent.`
  if (doubt.size > 0)
    return "We can't tell if an automatic reply was delivered. Check with the customer before you send it again."
  return 'No automatic reply has gone out.'
}

export function HeldLeadBanner({ lead: { id, messages }, reason }: { lead: LeadDetail; reason: string }) {
  const release = useReleaseLead(id)
  return (
    <Notice tone="warning" icon="shield" title="This request is held">
      <p>
        {formatIdentifier(reason)}. {describeSentReplies(messages)}
      </p>
      <Button
        className="mt-3"
        icon="check"
        pending={release.isPending}
        pendingText="Letting it through..."
        onClick={() => release.mutate()}
      >
        Let it through
      </Button>
    </Notice>
  )
}
