import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import { SETTINGS_LIMITS, sendingSchema } from '../schema'
import type { SendingSettings } from '../types'

const REGISTRATIONS = [
  {
    value: 'unknown',
    label: 'Not entered',
    hint: 'Texts go out; carriers may filter those of a number they do not know',
  },
  { value: 'approved', label: 'Approved', hint: 'Carriers know your number; texts go out' },
  {
    value: 'pending',
    label: 'Pending',
    hint: 'Texts are not sent until it is approved. You can text from your own phone; emails go out',
  },
] as const satisfies readonly { value: SendingSettings['registration']; label: string; hint: string }[]

export function SendingCard({ saved }: { saved: SendingSettings }) {
  const save = useSaveSettings()
  return (
    <Card title="Sending" icon="send">
      <SettingsForm
        label="Sending"
        part="sending"
        schema={sendingSchema}
        saved={saved}
        onSave={async (sending) => (await save.mutateAsync({ sending })).sending}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="dailyTextBudget"
              label="Automatic texts a day, at most"
              unit="texts"
              min={SETTINGS_LIMITS.dailyTextBudget[0]}
              max={SETTINGS_LIMITS.dailyTextBudget[1]}
              hint="Beyond it customers are answered by email only. You get an alert at four fifths of it. What you write yourself always goes."
            />
            <NumberField
              form={form}
              name="textsPerNumber"
              label="Automatic texts a day to one new number, at most"
              unit="texts"
              min={SETTINGS_LIMITS.textsPerNumber[0]}
              max={SETTINGS_LIMITS.textsPerNumber[1]}
              hint="For people who never texted you. It keeps a stranger from making you text somebody again and again."
            />
            <NumberField
              form={form}
              name="numbersPerExchange"
              label="New numbers from forms with the same first six digits, in an hour"
              unit="numbers"
              min={SETTINGS_LIMITS.numbersPerExchange[0]}
              max={SETTINGS_LIMITS.numbersPerExchange[1]}
              hint="Fraud texts whole blocks of neighbouring numbers at your cost. Raise it if your whole town shares one exchange."
            />
            <SwitchField
              form={form}
              name="holdRepliesAtNight"
              label="Hold replies at night"
              hint="The first answer to a night-time request waits for the morning too."
            />
            <ChoiceField
              form={form}
              name="registration"
              label="Registration of your number (A2P 10DLC)"
              choices={REGISTRATIONS}
              hint="Twilio’s console says how it stands."
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
