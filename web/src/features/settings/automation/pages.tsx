// Automation topics that are mostly switches.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import type { Settings } from '../types'
import { useSaveWithUndo } from '../use-save-with-undo'
import { AutomationSwitchesCard } from './switches-card'
import { TextsOffNotice } from './texts-off-notice'

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
    <Card title={t('When replies leave')} icon="clock">
      <Toggle
        label={t('Hold replies at night')}
        hint={t('The first answer to a night-time request waits for the morning too.')}
        checked={isHeld}
        onChange={(isOn) =>
          save({
            what: isOn ? t('Hold replies at night: on') : t('Hold replies at night: off'),
            patch: { sending: { holdRepliesAtNight: isOn } },
            back: { sending: { holdRepliesAtNight: isHeld } },
          })
        }
      />
      <p className="mt-2 text-note text-muted">
        {t('Change the words under')}{' '}
        <Link to={paths.settings('templates')} className="text-link">
          {t('Message templates')}
        </Link>
        .
      </p>
    </Card>
  )
}
