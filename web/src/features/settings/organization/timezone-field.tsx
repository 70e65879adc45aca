import { useMemo, useState } from 'react'
import { type FieldValues, type Path, useController, type UseFormReturn } from 'react-hook-form'
import { formatTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Icon } from '@/ui/icon'
import { listTimeZones, filterTimeZones, type TimeZoneOption, toTimeZoneOption } from '../lib/time-zones'

type TimezoneFieldProps<T extends FieldValues> = { form: UseFormReturn<T>; name: Path<T> }

export function TimezoneField<T extends FieldValues>({ form, name }: TimezoneFieldProps<T>) {
  const { field, fieldState } = useController({ control: form.control, name })
  const [isOpen, setIsOpen] = useState(false)
  const value: string = field.value
  const choose = (zone: TimeZoneOption) => {
    field.onChange(zone.id)
    setIsOpen(false)
  }
  return (
    <>
      <Field
        label={t('Time zone')}
        required
        hint={t('Your hours, your schedule and every time in a message follow it')}
        error={fieldState.error?.message}
      >
        {(aria) => (
          <button
            type="button"
            ref={field.ref}
            {...aria}
            aria-label={t('Time zone: {zone}', {
              zone: [toTimeZoneOption(value).name, toTimeZoneOption(value).place].filter(Boolean).join(', '),
            })}
            aria-haspopup="dialog"
            className="input flex cursor-pointer items-center justify-between gap-3 text-left"
            onClick={() => setIsOpen(true)}
          >
            <ZoneName zone={toTimeZoneOption(value)} />
            <Icon name="chevron-down" className="text-muted" />
          </button>
        )}
      </Field>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title={t('Time zone')}>
        <ZoneList current={value} onChoose={choose} />
      </Dialog>
    </>
  )
}

function ZoneName({ zone: { id, name, place }, now }: { zone: TimeZoneOption; now?: number }) {
  return (
    <span className="min-w-0 flex-1 truncate">
      {name}{' '}
      <span className="text-note text-muted">
        {[place, now === undefined ? '' : t('now {time}', { time: formatTime(now, id) })].filter(Boolean).join(', ')}
      </span>
    </span>
  )
}

function ZoneList({ current, onChoose }: { current: string; onChoose: (zone: TimeZoneOption) => void }) {
  const [typed, setTyped] = useState('')
  const [now] = useState(() => Date.now())
  const zones = useMemo(() => listTimeZones(), [])
  const found = filterTimeZones(zones, typed)
  return (
    <div className="grid gap-3">
      <input
        type="search"
        aria-label={t('Search time zones')}
        placeholder={t('City or region')}
        className="input"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {found.length === 0 && (
        <p className="py-4 text-muted">{t('No time zone of that name. Try the nearest large city.')}</p>
      )}
      <ul aria-label={t('Time zones')} className="-mx-2 h-[50dvh] overflow-y-auto">
        {found.map((zone) => (
          <li key={zone.id} className="[content-visibility:auto] [contain-intrinsic-size:auto_3rem]">
            <button
              type="button"
              aria-current={zone.id === current ? 'true' : undefined}
              className="flex min-h-12 w-full cursor-pointer items-center gap-2 rounded-field px-3 text-left hover:bg-primary/8 aria-[current]:text-primary"
              onClick={() => onChoose(zone)}
            >
              <ZoneName zone={zone} now={now} />
              {zone.id === current && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
