// Which messages a customer gets about a visit.
import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { TextField } from '@/ui/field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { settingsMessages as texts } from '../messages'
import { useSaveSettings } from '../mutations'
import type { Settings } from '../types'

const schema = z.object({
  booked: z.boolean(),
  dayBefore: z.boolean(),
  dayBeforeAt: z.string().check(z.regex(/^\d\d:\d\d$/, texts.time)),
  hourBefore: z.boolean(),
  onTheWay: z.boolean(),
  late: z.boolean(),
  finished: z.boolean(),
})
type Values = z.infer<typeof schema>

const SWITCHES = [
  { name: 'booked', label: t('Booked, moved or cancelled'), hint: t('As soon as it happens') },
  { name: 'dayBefore', label: t('The day before'), hint: t('With a link to change the visit') },
  { name: 'hourBefore', label: t('An hour before') },
  { name: 'onTheWay', label: t('On the way'), hint: t('When the crew taps On my way') },
  { name: 'late', label: t('Running late') },
  { name: 'finished', label: t('Work is done') },
] as const satisfies readonly { name: keyof Values; label: string; hint?: string }[]

const toValues = ({
  booked,
  dayBefore,
  dayBeforeAt,
  hourBefore,
  onTheWay,
  late,
  finished,
}: Settings['jobs']): Values => ({
  booked,
  dayBefore,
  dayBeforeAt,
  hourBefore,
  onTheWay,
  late,
  finished,
})

export function VisitMessagesCard({ saved }: { saved: Settings['jobs'] }) {
  const save = useSaveSettings()
  return (
    <Card title={t('Visit messages')} icon="calendar">
      <SettingsForm
        label={t('Visit messages')}
        part="jobs"
        schema={schema}
        saved={toValues(saved)}
        onSave={async (jobs) => toValues((await save.mutateAsync({ jobs })).jobs)}
      >
        {(form) => (
          <>
            {SWITCHES.map((one) => (
              <SwitchField key={one.name} form={form} {...one} />
            ))}
            <TextField
              form={form}
              name="dayBeforeAt"
              label={t('Time of the day-before reminder')}
              type="time"
              required
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
