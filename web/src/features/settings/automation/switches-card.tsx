// The five switches. One that is turned on first shows what it will send.
import { lazy, Suspense, useState } from 'react'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { useSaveSettings } from '../mutations'
import type { SwitchName, Switches } from '../types'
import { SWITCH_NAMES, SWITCHES } from './switches'

const PreviewDialog = lazy(async () => ({ default: (await import('./preview-dialog')).PreviewDialog }))

export function SwitchesCard({ switches }: { switches: Switches }) {
  const save = useSaveSettings()
  const [asked, setAsked] = useState<SwitchName>()
  const flip = (name: SwitchName, isOn: boolean) => {
    if (isOn) setAsked(name)
    else save.mutate({ switches: { [name]: false } })
  }
  return (
    <Card title="Automations" icon="sparkle">
      <ul className="divide-y divide-primary/22">
        {SWITCH_NAMES.map((name) => {
          const { label, does, off } = SWITCHES[name]
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
      {asked !== undefined && (
        <Suspense fallback={null}>
          <PreviewDialog
            name={asked}
            isTurningOn={save.isPending}
            onClose={() => setAsked(undefined)}
            onConfirm={() => save.mutate({ switches: { [asked]: true } }, { onSuccess: () => setAsked(undefined) })}
          />
        </Suspense>
      )}
    </Card>
  )
}
