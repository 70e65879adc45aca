import { lazy, Suspense, useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { ReviewRequestButton } from '@/features/review-request/request-button'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { isAwaitingResponse } from '../lib/response-promise'
import { leadsMessages } from '../messages'
import { useMarkAnswered } from '../mutations'
import type { LeadDetail } from '../queries'

const EstimateDialog = lazy(async () => ({ default: (await import('../estimate/estimate-dialog')).EstimateDialog }))
const ReminderDialog = lazy(async () => ({ default: (await import('../reminder/reminder-dialog')).ReminderDialog }))
const LeadPaymentDialog = lazy(async () => ({ default: (await import('../money/payment-dialog')).LeadPaymentDialog }))

export function QuickActions({ lead }: { lead: LeadDetail }) {
  const [openDialog, setAsked] = useState<'estimate' | 'reminder' | 'payment'>()
  const isOnline = useOnline()
  const answer = useMarkAnswered(lead.id)
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
        <ReviewRequestButton target={{ kind: 'lead', id: lead.id }} />
        {isAwaitingResponse(lead) && (
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
        {openDialog === 'estimate' && <EstimateDialog lead={lead} onClose={close} />}
        {openDialog === 'reminder' && <ReminderDialog lead={lead} onClose={close} />}
        {openDialog === 'payment' && <LeadPaymentDialog lead={lead} onClose={close} />}
      </Suspense>
    </Card>
  )
}
