import { useState } from 'react'
import { ApiError } from '@/api/client'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { SaveBar } from '../components/save-bar'
import { describeHoursChange, WEEKDAY_OPTIONS } from '../lib/business-hours'
import { useSettingsDraft } from '../lib/use-settings-draft'
import type { BusinessHours } from '../types'
import { useSaveWithUndo } from '../use-save-with-undo'
import { ClosedDates } from './closed-dates'
import { DayEditor } from './day-editor'

export type HoursErrors = Readonly<Record<string, string>>

export function BusinessHoursCard({ saved }: { saved: BusinessHours }) {
  const { save, isPending } = useSaveWithUndo()
  const { draft, isDirty, change, forget } = useSettingsDraft(saved)
  const [errors, setErrors] = useState<HoursErrors>({})

  const edit = (next: BusinessHours) => {
    setErrors({})
    change(next)
  }
  const send = () =>
    save(
      { what: describeHoursChange(saved, draft), patch: { hours: draft }, back: { hours: saved } },
      {
        onSaved: forget,
        onError: (error) => setErrors(error instanceof ApiError ? error.errors : {}),
      },
    )

  return (
    <Card title={t('Business hours')} icon="clock">
      <div role="group" aria-label={t('Business hours')} className="grid gap-5">
        <ul className="divide-y divide-primary/22">
          {WEEKDAY_OPTIONS.map(({ day, label }) => (
            <DayEditor key={day} day={day} label={label} hours={draft} errors={errors} onChange={edit} />
          ))}
        </ul>
        <ClosedDates hours={draft} error={errors['hours.closedDates']} onChange={edit} />
        <SaveBar
          isDirty={isDirty}
          isSaving={isPending}
          onSave={send}
          onUndo={() => {
            setErrors({})
            forget()
          }}
        />
      </div>
    </Card>
  )
}
