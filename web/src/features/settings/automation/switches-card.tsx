import { lazy, Suspense, useState } from 'react'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { useSaveSettings } from '../mutations'
import type { SwitchName, Switches } from '../types'
import { AUTOMATION_SWITCHES, SWITCH_NAMES } from './switches'
import { useDescribeSwitch } from './use-describe-switch'

const SwitchPreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog')).SwitchPreviewDialog }))

export function AutomationSwitchesCard({ switches }: { switches: Switches }) {
  const describeSwitch = useDescribeSwitch()
  const save = useSaveSettings()
  const [previewedSwitch, setAsked] = useState<SwitchName>()
  const flip = (name: SwitchName, isOn: boolean) => {
    if (isOn) setAsked(name)
    else save.mutate({ switches: { [name]: false } })
  }
  return (
    <Card title="Automations" icon="sparkle">
      <ul className="divide-y divide-primary/22">
        {SWITCH_NAMES.map((name) => {
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
            isTurningOn={save.isPending}
            onClose={() => setAsked(undefined)}
            onConfirm={() =>
              save.mutate({ switches: { [previewedSwitch]: true } }, { onSuccess: () => setAsked(undefined) })
            }
          />
        </Suspense>
      )}
    </Card>
  )
}
