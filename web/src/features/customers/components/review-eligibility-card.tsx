// Exclusions from review requests: staff, open complaints.
import { Link } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { customersMessages } from '../messages'
import { useMarkCustomer } from '../mutations'
import type { Customer } from '../types'

type Marks = Pick<Customer, 'isStaff' | 'hasComplaint'>

/** The marks with those that wait on this device. */
function usePendingMarks({ id, isStaff, hasComplaint }: Customer): Marks {
  return useEntriesOfKind('customer', id)
    .filter(({ refusal }) => refusal === null)
    .reduce<Marks>(
      (marks, { command: { change } }) => ({
        isStaff: change.isStaff ?? marks.isStaff,
        hasComplaint: change.hasComplaint ?? marks.hasComplaint,
      }),
      { isStaff, hasComplaint },
    )
}

export function ReviewEligibilityCard({ customer }: { customer: Customer }) {
  const mark = useMarkCustomer(customer)
  const isOff = !useOnline() && isDemoMode()
  const marks = usePendingMarks(customer)
  // As it will stand while it is on its way; back again if it did not get there.
  const { isStaff, hasComplaint } = { ...marks, ...(mark.isPending ? mark.variables : {}) }
  return (
    <Card title={t('Review requests')} icon="star">
      <fieldset disabled={isOff} className="grid gap-2">
        <legend className="sr-only">{t('Whether they are asked')}</legend>
        <Toggle
          label={t('Staff or relative')}
          hint={t(
            'Never asked for a review, and no rule writes to them. A hidden review by one’s own people misleads, and the law forbids it.',
          )}
          checked={isStaff}
          onChange={(is) => mark.mutate({ isStaff: is })}
        />
        <Toggle
          label={t('There is a problem')}
          hint={
            hasComplaint
              ? t('No one asks them for a review until you turn this off.')
              : t('While this is on, no one asks them for a review.')
          }
          checked={hasComplaint}
          onChange={(has) => mark.mutate({ hasComplaint: has })}
        />
      </fieldset>
      {isOff && <p className="text-note text-warning">{customersMessages.offline}</p>}
      <p className="mt-2">
        <Link to={paths.reviewAsks(customer.id)} className="text-link inline-flex min-h-11 items-center">
          {t('When they were asked')}
        </Link>
      </p>
    </Card>
  )
}
