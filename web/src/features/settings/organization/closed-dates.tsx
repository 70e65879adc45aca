import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Field, FieldError } from '@/ui/field'
import { addClosedDate, formatClosedDate, removeClosedDate } from '../lib/business-hours'
import type { BusinessHours } from '../types'

const MAX_LABEL_LENGTH = 60

type ClosedDatesProps = { hours: BusinessHours; error: string | undefined; onChange: (hours: BusinessHours) => void }

export function ClosedDates({ hours, error, onChange }: ClosedDatesProps) {
  return (
    <section aria-label={t('Closed dates')} className="grid gap-3">
      <h3 className="font-semibold">{t('Closed dates')}</h3>
      {hours.closedDates.length === 0 ? (
        <p className="text-note text-muted">{t('None yet. Callers on a closed date get your holiday text.')}</p>
      ) : (
        <ul className="grid gap-2">
          {hours.closedDates.map(({ date, label }) => (
            <li key={date} className="flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3">
              <span className="min-w-0 flex-1">
                {formatClosedDate(date)}
                {label && <span className="text-muted"> {label}</span>}
              </span>
              <IconButton
                label={t('Remove {date}', { date: formatClosedDate(date) })}
                icon="trash"
                onClick={() => onChange(removeClosedDate(hours, date))}
              />
            </li>
          ))}
        </ul>
      )}
      {error && <FieldError>{error}</FieldError>}
      <AddClosedDate onAdd={(closed) => onChange(addClosedDate(hours, closed))} />
    </section>
  )
}

function AddClosedDate({ onAdd }: { onAdd: (closed: { date: string; label: string }) => void }) {
  const [date, setDate] = useState('')
  const [label, setLabel] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    if (date === '') return setProblem(t('Choose a date'))
    onAdd({ date, label: label.trim() })
    setDate('')
    setLabel('')
    setProblem(undefined)
  }
  return (
    <div className="grid gap-3 sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:items-end">
      <Field label={t('Date')} unmarked error={problem}>
        {(aria) => (
          <input
            type="date"
            className="input"
            {...aria}
            value={date}
            onChange={(event) => setDate(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('What it is called')} unmarked>
        {(aria) => (
          <input
            className="input"
            maxLength={MAX_LABEL_LENGTH}
            placeholder={t('Christmas')}
            {...aria}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
        )}
      </Field>
      <Button variant="secondary" icon="plus" onClick={add}>
        {t('Add date')}
      </Button>
    </div>
  )
}
