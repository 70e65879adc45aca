import { useWatch } from 'react-hook-form'
import { useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { t } from '@/lib/i18n'
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
  { value: 'immediate', label: t('Immediate'), hint: t('The moment a lead comes in') },
  { value: 'hourly', label: t('Hourly'), hint: t('One summary an hour') },
  { value: 'daily', label: t('Daily'), hint: t('One summary a day') },
  { value: 'weekly', label: t('Weekly'), hint: t('One summary a week') },
] as const satisfies readonly { value: Notifications['frequency']; label: string; hint: string }[]

const SCHEDULES = [
  { value: 'anytime', label: t('Anytime'), hint: t('Day and night') },
  { value: 'business_hours', label: t('Business hours'), hint: t('While you are open; the rest waits until you open') },
  { value: 'custom', label: t('Custom'), hint: t('Between two times of your own') },
] as const satisfies readonly { value: Notifications['schedule']; label: string; hint: string }[]

export function NotificationsCard({ saved }: { saved: Notifications }) {
  const save = useSaveSettings()
  const textsOff = useTextsOffReason()
  return (
    <Card title={t('Notification settings')} icon="bell">
      <SettingsForm
        label={t('Notification settings')}
        part="notifications"
        schema={notificationsSchema}
        saved={saved}
        onSave={async (notifications) => (await save.mutateAsync({ notifications })).notifications}
      >
        {(form) => (
          <>
            <p className="text-note text-muted">
              {t(
                'For the emails and texts to your recipients. Devices with alerts are notified right away, at any hour: each phone has its own quiet hours.',
              )}
            </p>
            <ChoiceField
              form={form}
              name="frequency"
              label={t('How often')}
              choices={FREQUENCIES}
              className="sm:grid-cols-2"
            />
            <ChoiceField
              form={form}
              name="schedule"
              label={t('When')}
              choices={SCHEDULES}
              hint={t('An emergency always comes through right away.')}
            />
            <CustomTimes form={form} />
            <fieldset className="grid gap-4 sm:grid-cols-2">
              <legend className="mb-1.5 font-semibold">{t('When no one looks at an emergency')}</legend>
              <NumberField
                form={form}
                name="escalateAfterMinutes"
                label={textsOff ? t('Email after (texts are off)') : t('Text the first number after')}
                unit={t('minutes')}
                min={1}
                max={60}
              />
              <NumberField
                form={form}
                name="escalateNextAfterMinutes"
                label={t('Then the next one after')}
                unit={t('minutes')}
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
      <TextField form={form} name="businessStart" label={t('Start')} required type="time" />
      <TextField form={form} name="businessEnd" label={t('End')} required type="time" />
    </div>
  )
}
