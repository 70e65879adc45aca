// Automation topics that show more than one card.
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { FigureSettingsCard } from '../figures/figure-settings-card'
import type { Settings } from '../types'
import { useSaveWithUndo } from '../use-save-with-undo'
import { FollowUpsCard } from './follow-ups-card'
import { HoldoutSettingsCard } from './holdout-settings-card'
import { PulseCard } from './pulse-card'
import { ReviewKeyCard } from './review-key-card'
import { ReviewRulesCard } from './review-rules-card'
import { AutomationSwitchesCard } from './switches-card'
import { TextsOffNotice } from './texts-off-notice'
import { VisitMessagesCard } from './visit-messages-card'

type PageProps = { settings: Settings }

export function AutomationsPage({ settings: { switches } }: PageProps) {
  return (
    <>
      <TextsOffNotice />
      <AutomationSwitchesCard switches={switches} />
    </>
  )
}

export function RepliesPage({ settings: { switches, sending } }: PageProps) {
  return (
    <>
      <TextsOffNotice />
      <AutomationSwitchesCard switches={switches} names={['leadIntake', 'automatedCommunications']} />
      <NightRepliesCard isHeld={sending.holdRepliesAtNight} />
    </>
  )
}

function NightRepliesCard({ isHeld }: { isHeld: boolean }) {
  const { save } = useSaveWithUndo()
  return (
    <Card title="When replies leave" icon="clock">
      <Toggle
        label="Hold replies at night"
        hint="The first answer to a night-time request waits for the morning too."
        checked={isHeld}
        onChange={(isOn) =>
          save({
            what: `Hold replies at night: ${isOn ? 'on' : 'off'}`,
            patch: { sending: { holdRepliesAtNight: isOn } },
            back: { sending: { holdRepliesAtNight: isHeld } },
          })
        }
      />
      <p className="mt-2 text-note text-muted">
        Change the words under{' '}
        <Link to={paths.settings('templates')} className="text-link">
          Message templates
        </Link>
        .
      </p>
    </Card>
  )
}

export function RemindersPage({ settings: { switches, jobs, estimates, holdOut } }: PageProps) {
  return (
    <>
      <TextsOffNotice />
      <AutomationSwitchesCard switches={switches} names={['jobTracking']} />
      <VisitMessagesCard saved={jobs} />
      <FollowUpsCard saved={estimates.followUpDays} />
      <HoldoutSettingsCard saved={holdOut} />
      <p className="text-note text-muted">
        Reminders of unpaid invoices are under{' '}
        <Link to={paths.settings('invoices')} className="text-link">
          Invoices
        </Link>
        .
      </p>
    </>
  )
}

export function ReviewsPage({ settings: { switches, reviews } }: PageProps) {
  return (
    <>
      <AutomationSwitchesCard switches={switches} names={['reviewCollection']} />
      <ReviewRulesCard saved={reviews} />
      <ReviewKeyCard />
    </>
  )
}

export function ReportsPage({ settings: { switches, pulse, figures } }: PageProps) {
  return (
    <>
      <PulseCard saved={pulse} isOn={switches.kpiReporting} />
      <FigureSettingsCard saved={figures} />
    </>
  )
}
