// Quick Actions of a lead. What does not apply yet says why, and can be opened all the same.
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { IconName } from '@/ui/icon'
import { leadsMessages } from '../messages'
import type { LeadDetail } from '../queries'
import { nextStepMessages } from './messages'
import type { LeadFacts } from './next-step'

const texts = nextStepMessages.notYet

type QuickAction = 'estimate' | 'reminder' | 'payment' | 'review'

const ACTIONS = [
  { name: 'estimate', label: t('Generate Estimate PDF'), icon: 'document' },
  { name: 'reminder', label: t('Send Reminder'), icon: 'bell' },
  { name: 'payment', label: t('Mark as Paid'), icon: 'dollar' },
  { name: 'review', label: t('Request Review'), icon: 'star' },
] as const satisfies readonly { name: QuickAction; label: string; icon: IconName }[]

type Reasons = Partial<Record<QuickAction, string>>

/** Why an action makes no sense yet; empty while that is unknown. */
export function getQuickActionReasons({ stage }: Pick<LeadDetail, 'stage'>, facts: LeadFacts | undefined): Reasons {
  if (!facts) return {}
  const { estimates, jobs, money } = facts
  const isPlanned = jobs.some(({ status, date }) => status === 'Scheduled' && date)
  const isOffered = estimates.some(({ status }) => status === 'open')
  const isBilled = money.invoices.some(({ status, balance }) => status !== 'draft' && status !== 'void' && balance > 0)
  const isDone = stage === 'Done' || stage === 'Paid' || jobs.some(({ status }) => status === 'Completed')
  return {
    ...(isPlanned || isOffered || isBilled ? {} : { reminder: texts.reminder }),
    ...(money.owed > 0 ? {} : { payment: stage === 'Paid' ? texts.paid : texts.payment }),
    ...(isDone ? {} : { review: texts.review }),
  }
}

type QuickActionsSheetProps = {
  open: boolean
  onClose: () => void
  lead: LeadDetail
  facts: LeadFacts | undefined
  onPick: (action: QuickAction) => void
}

export function QuickActionsSheet({ open, onClose, lead, facts, onPick }: QuickActionsSheetProps) {
  const isOnline = useOnline()
  const reasons: Reasons = getQuickActionReasons(lead, facts)
  return (
    <Dialog open={open} onClose={onClose} title={t('Quick Actions')}>
      <ul className="grid gap-2">
        {ACTIONS.map(({ name, label, icon }) => (
          <li key={name}>
            <Button
              variant="secondary"
              icon={icon}
              wide
              className="justify-start"
              disabled={!isOnline}
              aria-describedby={reasons[name] ? `quick-${name}` : undefined}
              onClick={() => onPick(name)}
            >
              {label}
            </Button>
            {reasons[name] && (
              <p id={`quick-${name}`} className="mt-1 text-caption text-muted">
                {reasons[name]}
              </p>
            )}
          </li>
        ))}
      </ul>
      {!isOnline && <p className="mt-3 text-note text-warning">{leadsMessages.offline}</p>}
    </Dialog>
  )
}
