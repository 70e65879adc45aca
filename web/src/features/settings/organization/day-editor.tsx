import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { FieldError } from '@/ui/field'
import { Icon } from '@/ui/icon'
import {
  addSpan,
  changeSpan,
  copyToWeekdays,
  formatOpenSpans,
  endsNextDay,
  MAX_SPANS,
  removeSpan,
  formatOpenSpan,
} from '../lib/business-hours'
import type { BusinessHours, OpenSpan, Weekday } from '../types'
import type { HoursErrors } from './business-hours-card'

type DayEditorProps = {
  day: Weekday
  label: string
  hours: BusinessHours
  errors: HoursErrors
  onChange: (hours: BusinessHours) => void
}

export function DayEditor({ day, label, hours, errors, onChange }: DayEditorProps) {
  const [isOpen, setIsOpen] = useState(false)
  const spans = hours.week[day]
  const field = `hours.week.${day}`
  const hasFault = Object.keys(errors).some((key) => key.startsWith(field))
  const isShown = isOpen || hasFault
  return (
    <li>
      <button
        type="button"
        aria-expanded={isShown}
        className="flex min-h-12 w-full cursor-pointer items-center gap-3 rounded-field py-2 text-left"
        onClick={() => setIsOpen(!isShown)}
      >
        <span className="w-28 shrink-0 font-semibold">{label}</span>
        <span className="min-w-0 flex-1 text-note text-muted">{formatOpenSpans(spans)}</span>
        <Icon name="chevron-down" className={isShown ? 'rotate-180 text-primary' : 'text-primary'} />
      </button>
      {isShown && (
        <div className="grid gap-3 pb-4">
          {spans.map((span, at) => (
            <SpanRow
              // oxlint-disable-next-line react/no-array-index-key -- openings have no identity but their place
              key={at}
              label={spans.length > 1 ? t('{label}, opening {number}', { label, number: at + 1 }) : label}
              span={span}
              error={errors[`${field}[${at}].opens`] ?? errors[`${field}[${at}].closes`]}
              onChange={(change) => onChange(changeSpan(hours, day, at, change))}
              onRemove={() => onChange(removeSpan(hours, day, at))}
            />
          ))}
          {errors[field] && <FieldError>{errors[field]}</FieldError>}
          <div className="flex flex-wrap gap-2">
            {spans.length < MAX_SPANS && (
              <Button variant="secondary" icon="plus" onClick={() => onChange(addSpan(hours, day))}>
                {spans.length === 0 ? t('Open on this day') : t('Add another opening')}
              </Button>
            )}
            <Button variant="ghost" icon="copy" onClick={() => onChange(copyToWeekdays(hours, day))}>
              {t('Copy to weekdays')}
            </Button>
          </div>
        </div>
      )}
    </li>
  )
}

type SpanRowProps = {
  label: string
  span: OpenSpan
  error: string | undefined
  onChange: (change: Partial<OpenSpan>) => void
  onRemove: () => void
}

function SpanRow({ label, span, error, onChange, onRemove }: SpanRowProps) {
  const input = (name: keyof OpenSpan, ariaLabel: string) => (
    <input
      type="time"
      aria-label={ariaLabel}
      aria-invalid={error ? true : undefined}
      className="input min-w-0 px-2 max-sm:[&::-webkit-calendar-picker-indicator]:hidden"
      value={span[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  )
  return (
    <div className="grid gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)_auto] items-center gap-2">
        {input('opens', t('{label} opens', { label }))}
        <span className="text-muted">{t('to')}</span>
        {input('closes', t('{label} closes', { label }))}
        <IconButton
          label={t('Remove {label}: {span}', { label, span: formatOpenSpan(span) })}
          icon="trash"
          onClick={onRemove}
        />
      </div>
      {endsNextDay(span) && <p className="text-caption text-muted">{formatOpenSpan(span)}</p>}
      {error && <FieldError>{error}</FieldError>}
    </div>
  )
}
