import { useWatch } from 'react-hook-form'
import { useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { TextField } from '@/ui/field'
import { NumberField } from '@/ui/number-field'
import type { UseFormReturn } from 'react-hook-form'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import { notificationsSchema, type NotificationsValues } from '../schema'
import type { Notifications } from '../types'

const FREQUENCIES = [
  { value: 'immediate', label: 'Immediate', hint: 'The moment a lead comes in' },
  { value: 'hourly', label: 'Hourly', hint: 'One summary an hour' },
  { value: 'daily', label: 'Daily', hint: 'One summary a day' },
  { value: 'weekly', label: 'Weekly', hint: 'One summary a week' },
] as const satisfies readonly { value: Notifications['frequency']; label: string; hint: string }[]

const SCHEDULES = [
  { value: 'anytime', label: 'Anytime', hint: 'Day and night' },
  { value: 'business_hours', label: 'Business hours', hint: 'While you are open; the rest waits until you open' },
  { value: 'custom', label: 'Custom', hint: 'Between two times of your own' },
] as const satisfies readonly { value: Notifications['schedule']; label: string; hint: string }[]

export function NotificationsCard({ saved }: { saved: Notifications }) {
  const save = useSaveSettings()
  const textsOff = useTextsOffReason()
  return (
    <Card title="Notification settings" icon="bell">
      <SettingsForm
        label="Notification settings"
        part="notifications"
        schema={notificationsSchema}
        saved={saved}
        onSave={async (notifications) => (await save.mutateAsync({ notifications })).notifications}
      >
        {(form) => (
          <>
            <p className="text-note text-muted">
              For the emails and texts to your recipients. Devices with alerts are notified right away, at any hour:
              each phone has its own quiet hours.
            </p>
            <ChoiceField
              form={form}
              name="frequency"
              label="How often"
              choices={FREQUENCIES}
              className="sm:grid-cols-2"
            />
            <ChoiceField
              form={form}
              name="schedule"
              label="When"
              choices={SCHEDULES}
              hint="An emergency always comes through right away."
            />
            <CustomTimes form={form} />
            <fieldset className="grid gap-4 sm:grid-cols-2">
              <legend className="mb-1.5 font-semibold">When no one looks at an emergency</legend>
              <NumberField
                form={form}
                name="escalateAfterMinutes"
                label={textsOff ? 'Email after (texts are off)' : 'Text the first number after'}
                unit="minutes"
                min={1}
                max={60}
              />
              <NumberField
                form={form}
                name="escalateNextAfterMinutes"
                label="Then the next one after"
                unit="minutes"
                min={1}
                max={120}
              />
            </fieldset>
          </>
        )}
      </SettingsForm>
    </Card>
  )
}

function CustomTimes({ form }: { form: UseFormReturn<NotificationsValues> }) {
  const schedule = useWatch({ control: form.control, name: 'schedule' })
  if (schedule !== 'custom') return null
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField form={form} name="businessStart" label="Start" required type="time" />
      <TextField form={form} name="businessEnd" label="End" required type="time" />
    </div>
  )
}
