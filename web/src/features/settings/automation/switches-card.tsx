import { lazy, Suspense, useState } from 'react'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import type { SwitchName, Switches } from '../types'
import { useSaveWithUndo } from '../use-save-with-undo'
import { AUTOMATION_SWITCHES, SWITCH_NAMES } from './switches'
import { useDescribeSwitch } from './use-describe-switch'

const SwitchPreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog')).SwitchPreviewDialog }))

type AutomationSwitchesCardProps = { switches: Switches; names?: readonly SwitchName[] }

export function AutomationSwitchesCard({ switches, names = SWITCH_NAMES }: AutomationSwitchesCardProps) {
  const describeSwitch = useDescribeSwitch()
  const { save, isPending } = useSaveWithUndo()
  const [previewedSwitch, setAsked] = useState<SwitchName>()
  const turn = (name: SwitchName, isOn: boolean) => {
    const { label } = AUTOMATION_SWITCHES[name]
    save(
      {
        what: isOn ? t('{label}: on', { label }) : t('{label}: off', { label }),
        patch: { switches: { [name]: isOn } },
        back: { switches: { [name]: !isOn } },
      },
      { onSaved: () => setAsked(undefined) },
    )
  }
  const flip = (name: SwitchName, isOn: boolean) => {
    if (isOn) setAsked(name)
    else turn(name, false)
  }
  return (
    <Card title={t('Automations')} icon="sparkle">
      <ul className="divide-y divide-primary/22">
        {names.map((name) => {
          const { label, off } = AUTOMATION_SWITCHES[name]
          return (
            <li key={name} className="py-3 first:pt-0 last:pb-0">
              <Toggle
                label={label}
                hint={switches[name] ? describeSwitch(name) : off}
                checked={switches[name]}
                onChange={(isOn) => flip(name, isOn)}
              />
            </li>
          )
        })}
      </ul>
      {previewedSwitch !== undefined && (
        <Suspense fallback={null}>
          <SwitchPreviewDialog
            name={previewedSwitch}
            isTurningOn={isPending}
            onClose={() => setAsked(undefined)}
            onConfirm={() => turn(previewedSwitch, true)}
          />
        </Suspense>
      )}
    </Card>
  )
}
