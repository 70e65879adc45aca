import { lazy, Suspense, useState } from 'react'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { useSaveSettings } from '../mutations'
import type { SwitchName, Switches } from '../types'
import { SWITCH_NAMES, AUTOMATION_SWITCHES } from './switches'

const SwitchPreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog')).SwitchPreviewDialog }))

export function AutomationSwitchesCard({ switches }: { switches: Switches }) {
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
          const { label, does, off } = AUTOMATION_SWITCHES[name]
          return (
            <li key={name} className="py-3 first:pt-0 last:pb-0">
              <Toggle
                label={label}
                hint={switches[name] ? does : off}
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
