import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import type { Settings } from '../types'
import { FollowUpsCard } from './follow-ups-card'
import { HoldoutSettingsCard } from './holdout-settings-card'
import { AutomationSwitchesCard } from './switches-card'
import { TextsOffNotice } from './texts-off-notice'
import { VisitMessagesCard } from './visit-messages-card'

export function RemindersPage({ settings: { switches, jobs, estimates, holdOut } }: { settings: Settings }) {
  return (
    <>
      <TextsOffNotice />
      <AutomationSwitchesCard switches={switches} names={['jobTracking']} />
      <VisitMessagesCard saved={jobs} />
      <FollowUpsCard saved={estimates.followUpDays} />
      <HoldoutSettingsCard saved={holdOut} />
      <p className="text-note text-muted">
        {t('Reminders of unpaid invoices are under')}{' '}
        <Link to={paths.settings('invoices')} className="text-link">
          {t('Invoices')}
        </Link>
        .
      </p>
    </>
  )
}
