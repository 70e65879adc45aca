// Exclusions from review requests: staff, open complaints.
import { Link } from 'react-router-dom'
import { useOnline } from '@/lib/hooks/use-online'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { customersMessages } from '../messages'
import { useMarkCustomer } from '../mutations'
import type { Customer } from '../types'

export function ReviewEligibilityCard({ customer }: { customer: Customer }) {
  const mark = useMarkCustomer(customer.id)
  const isOnline = useOnline()
  // As it will stand while it is on its way; back again if it did not get there.
  const { isStaff, hasComplaint } = { ...customer, ...(mark.isPending ? mark.variables : {}) }
  return (
    <Card title="Review requests" icon="star">
      <fieldset disabled={!isOnline} className="grid gap-2">
        <legend className="sr-only">Whether they are asked</legend>
        <Toggle
          label="Staff or relative"
          hint="Never asked for a review, and no rule writes to them. A hidden review by one’s own people misleads, and the law forbids it."
          checked={isStaff}
          onChange={(is) => mark.mutate({ isStaff: is })}
        />
        <Toggle
          label="There is a problem"
          hint={
            hasComplaint
              ? 'No one asks them for a review until you turn this off.'
              : 'While this is on, no one asks them for a review.'
          }
          checked={hasComplaint}
          onChange={(has) => mark.mutate({ hasComplaint: has })}
        />
      </fieldset>
      {!isOnline && <p className="text-note text-warning">{customersMessages.offline}</p>}
      <p className="mt-2">
        <Link to={paths.reviewAsks(customer.id)} className="text-link inline-flex min-h-11 items-center">
          When they were asked
        </Link>
      </p>
    </Card>
  )
}
