// The way out: cancelling with the day shown before it is done, the data to take along, and taking it back until then.
import { useState } from 'react'
import { formatDate } from '@/lib/format/date'
import { TakeAllButton } from '@/session/take-all-button'
import { useCurrentUser } from '@/session/use-session'
import { type Subscription, useCancelSubscription, useKeepSubscription } from '@/subscription/queries'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'

type LeaveCardProps = { subscription: Subscription }

export function LeaveCard({ subscription }: LeaveCardProps) {
  const { role, orgTimezone } = useCurrentUser()
  const { setupPaid, canBegin, endsAt } = subscription
  // Only what goes on can be ended.
  if (role !== 'owner' || !setupPaid || canBegin || !subscription.isSetUp) return null
  return (
    <Card title={endsAt ? 'Your subscription is cancelled' : 'Leaving'} icon="logout">
      <div className="grid justify-items-start gap-3">
        {endsAt
          ? <><p>Everything goes on until {formatDate(endsAt, orgTimezone)}. Until then you can take this back.</p><KeepButton /></>
          : <><p className="text-muted">The plan can be cancelled with 30 days’ notice. Your data stays yours.</p><CancelButton wouldEndAt={subscription.wouldEndAt} /></>}
      </div>
    </Card>
  )
}

function KeepButton() {
  const keep = useKeepSubscription()
  return <Button icon="undo" pending={keep.isPending} onClick={() => keep.mutate()}>Keep Subscription</Button>
}

function CancelButton({ wouldEndAt }: { wouldEndAt: string }) {
  const [isAsking, setIsAsking] = useState(false)
  const { orgTimezone } = useCurrentUser()
  const cancel = useCancelSubscription()
  return (
    <>
      <Button variant="danger" onClick={() => setIsAsking(true)}>Cancel Subscription</Button>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title="Cancel your subscription?"
        actions={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>Keep Subscription</Button>
            <Button variant="danger" pending={cancel.isPending} onClick={() => cancel.mutate(undefined, { onSuccess: () => setIsAsking(false) })}>Cancel Subscription</Button>
          </>
        }
      >
        <div className="grid gap-3">
          <p>With 30 days’ notice it ends on <strong>{formatDate(wouldEndAt, orgTimezone)}</strong>. Until then everything goes on, and you can take this back. The last days are charged by the day.</p>
          <p>After that you have 14 days in which all still works. Then you can only read and export, and your data is kept for 60 days at least.</p>
          <p>Take everything along at any time, in one file:</p>
          <TakeAllButton />
        </div>
      </Dialog>
    </>
  )
}
