// What is done most with a lead: quote it, remind of what comes next, book the money, ask what they think of the work.
import { lazy, Suspense, useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { RequestButton } from '@/features/review-request/request-button'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { isWaited } from '../lib/promise-words'
import { leadsMessages } from '../messages'
import { useNoteAnswer } from '../mutations'
import type { LeadDetail } from '../queries'

const EstimateDialog = lazy(async () => ({ default: (await import('../estimate/estimate-dialog')).EstimateDialog }))
const ReminderDialog = lazy(async () => ({ default: (await import('../reminder/reminder-dialog')).ReminderDialog }))
const PaymentDialog = lazy(async () => ({ default: (await import('../money/payment-dialog')).PaymentDialog }))

export function QuickActions({ lead }: { lead: LeadDetail }) {
  const [asked, setAsked] = useState<'estimate' | 'reminder' | 'payment'>()
  const isOnline = useOnline()
  const answer = useNoteAnswer(lead.id)
  const close = () => setAsked(undefined)
  return (
    <Card title="Quick Actions" icon="sparkle">
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-1">
        <Button variant="secondary" icon="document" disabled={!isOnline} onClick={() => setAsked('estimate')}>
          Generate Estimate PDF
        </Button>
        <Button variant="secondary" icon="bell" disabled={!isOnline} onClick={() => setAsked('reminder')}>
          Send Reminder
        </Button>
        <Button variant="secondary" icon="dollar" disabled={!isOnline} onClick={() => setAsked('payment')}>
          Mark as Paid
        </Button>
        <RequestButton of={{ kind: 'lead', id: lead.id }} />
        {isWaited(lead) && (
          <>
            <Button
              variant="secondary"
              icon="check"
              disabled={!isOnline || answer.isPending}
              onClick={() => answer.mutate('answered')}
            >
              I have answered
            </Button>
            <Button
              variant="secondary"
              icon="close"
              disabled={!isOnline || answer.isPending}
              onClick={() => answer.mutate('not_wanted')}
            >
              No answer wanted
            </Button>
          </>
        )}
      </div>
      {!isOnline && <p className="mt-3 text-note text-warning">{leadsMessages.offline}</p>}
      <Suspense fallback={null}>
        {asked === 'estimate' && <EstimateDialog lead={lead} onClose={close} />}
        {asked === 'reminder' && <ReminderDialog lead={lead} onClose={close} />}
        {asked === 'payment' && <PaymentDialog lead={lead} onClose={close} />}
      </Suspense>
    </Card>
  )
}
