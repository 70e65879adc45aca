// Days on which an unanswered estimate is followed up.
import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { TextField } from '@/ui/field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'

const LIMITS = { count: 5, latest: 60 } as const
const DAYS_ERROR = t('Enter whole days from 1 to {latest}, at most {count} of them, like 2, 5, 10', LIMITS)

/** `2, 5, 10` as days, each once and in their order; undefined for what are none. */
export function parseFollowUpDays(typed: string): number[] | undefined {
  const parts = typed.split(/[,;\s]+/).filter((part) => part !== '')
  const days = [...new Set(parts.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : Number.NaN)))]
  const isFine = days.length <= LIMITS.count && days.every((day) => day >= 1 && day <= LIMITS.latest)
  return isFine ? days.toSorted((a, b) => a - b) : undefined
}

const schema = z.object({
  followUpDays: z.string().check(
    z.trim(),
    z.refine((typed) => parseFollowUpDays(typed) !== undefined, DAYS_ERROR),
  ),
})

const toValues = (days: readonly number[]) => ({ followUpDays: days.join(', ') })

export function FollowUpsCard({ saved }: { saved: readonly number[] }) {
  const save = useSaveSettings()
  return (
    <Card title={t('Estimate follow-ups')} icon="document">
      <SettingsForm
        label={t('Estimate follow-ups')}
        part="estimates"
        schema={schema}
        saved={toValues(saved)}
        onSave={async ({ followUpDays = '' }) => {
          const patch = { estimates: { followUpDays: parseFollowUpDays(followUpDays) ?? [] } }
          return toValues((await save.mutateAsync(patch)).estimates.followUpDays)
        }}
      >
        {(form) => (
          <TextField
            form={form}
            name="followUpDays"
            label={t('Days after the estimate')}
            inputMode="numeric"
            autoComplete="off"
            hint={t('Only while the customer has not answered. Leave it empty to send none.')}
          />
        )}
      </SettingsForm>
    </Card>
  )
}
