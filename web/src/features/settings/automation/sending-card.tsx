// How much is sent by itself, and when it had better wait.
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import { LIMITS, sendingSchema } from '../schema'
import type { Sending } from '../types'

const REGISTRATIONS = [
  { value: 'approved', label: 'Approved', hint: 'Carriers know your number; texts go out' },
  { value: 'pending', label: 'Pending', hint: 'Texts are kept back until it is approved; emails go out' },
] as const satisfies readonly { value: Sending['registration']; label: string; hint: string }[]

export function SendingCard({ saved }: { saved: Sending }) {
  const save = useSaveSettings()
  const [least, most] = LIMITS.dailyTextBudget
  return (
    <Card title="Sending" icon="send">
      <SettingsForm label="Sending" part="sending" schema={sendingSchema} saved={saved} onSave={async (sending) => (await save.mutateAsync({ sending })).sending}>
        {(form) => (
          <>
            <NumberField form={form} name="dailyTextBudget" label="Automatic texts a day, at most" unit="texts" min={least} max={most} hint="Beyond it texts wait for you to let them go. What you write yourself always goes." />
            <SwitchField form={form} name="holdRepliesAtNight" label="Hold replies at night" hint="The first answer to a night-time request waits for the morning too." />
            <ChoiceField form={form} name="registration" label="Registration of your number (A2P 10DLC)" choices={REGISTRATIONS} hint="Twilio’s console says how it stands." />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
