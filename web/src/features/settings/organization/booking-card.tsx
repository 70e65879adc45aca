import { useQuery } from '@tanstack/react-query'
import { t } from '@/lib/i18n'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import { SelectField, TextAreaField } from '@/ui/field'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import type { Settings, SettingsPatch } from '../types'
import { BookingPage, bookingQuery } from './booking-page'
import { BOOKING_LIMITS as LIMITS, bookingSchema, type BookingValues, parseServices, parseZips } from './booking-schema'

const GRID_OPTIONS = [
  { value: '15', label: t('15 minutes') },
  { value: '30', label: t('30 minutes') },
  { value: '60', label: t('An hour') },
  { value: '120', label: t('2 hours') },
  { value: '240', label: t('4 hours') },
]
const ARRIVAL_OPTIONS = [
  { value: '0', label: t('At that time') },
  { value: '15', label: t('Within 15 minutes') },
  { value: '30', label: t('Within 30 minutes') },
  { value: '60', label: t('Within an hour') },
  { value: '120', label: t('Within 2 hours') },
  { value: '240', label: t('Within 4 hours') },
]

type BookingSources = Pick<Settings, 'booking' | 'jobs'>

function toValues({ booking, jobs }: BookingSources): BookingValues {
  const {
    isOn,
    noticeHours,
    daysAhead,
    bufferMinutes,
    dailyCap,
    unprovenPerNetwork,
    unprovenPerDay,
    emailOnlyPercent,
    depositFirst,
    gridMinutes,
    durations,
    zips,
  } = booking
  return {
    isOn,
    noticeHours,
    daysAhead,
    bufferMinutes,
    dailyCap,
    unprovenPerNetwork,
    unprovenPerDay,
    emailOnlyPercent,
    depositFirst,
    gridMinutes: String(gridMinutes),
    zips: zips.join(', '),
    durations: Object.entries(durations)
      .map(([name, minutes]) => `${name}, ${minutes}`)
      .join('\n'),
    durationMinutes: jobs.durationMinutes,
    arrivalMinutes: String(jobs.arrivalMinutes),
  }
}

/** How long a job takes and when it is arrived at belong to all jobs, not only to booked ones. */
function toPatch({
  durationMinutes,
  arrivalMinutes,
  gridMinutes,
  durations,
  zips,
  ...plain
}: Partial<BookingValues>): SettingsPatch {
  const jobs = {
    ...(durationMinutes === undefined ? {} : { durationMinutes }),
    ...(arrivalMinutes === undefined ? {} : { arrivalMinutes: Number(arrivalMinutes) }),
  }
  const booking = {
    ...plain,
    ...(gridMinutes === undefined ? {} : { gridMinutes: Number(gridMinutes) }),
    ...(durations === undefined ? {} : { durations: parseServices(durations) ?? {} }),
    ...(zips === undefined ? {} : { zips: parseZips(zips) ?? [] }),
  }
  return { ...(Object.keys(jobs).length > 0 ? { jobs } : {}), ...(Object.keys(booking).length > 0 ? { booking } : {}) }
}

export function BookingCard({ saved }: { saved: BookingSources }) {
  const { orgId } = useCurrentUser()
  const save = useSaveSettings()
  const state = useQuery(bookingQuery(orgId))
  const onSave = async (changed: Partial<BookingValues>) => {
    const savedSettings = await save.mutateAsync(toPatch(changed))
    void state.refetch()
    return toValues(savedSettings)
  }
  return (
    <Card title={t('Online booking')} icon="calendar">
      <BookingPage state={state.data} />
      <SettingsForm
        label={t('Online booking')}
        part="booking"
        schema={bookingSchema}
        saved={toValues(saved)}
        onSave={onSave}
      >
        {(form) => (
          <>
            <SwitchField
              form={form}
              name="isOn"
              label={t('Customers book by themselves')}
              hint={t('Times come from the hours and jobs of the crews that can be booked')}
            />
            <SwitchField
              form={form}
              name="depositFirst"
              label={t('Deposit before a time')}
              hint={t(
                'After approving an estimate, customers pay the deposit before they pick a time. Off: they pick a time first and pay to keep it.',
              )}
            />
            <div className="grid gap-5 sm:grid-cols-2">
              <NumberField
                form={form}
                name="noticeHours"
                label={t('At least ahead')}
                unit={t('hours')}
                min={LIMITS.noticeHours[0]}
                max={LIMITS.noticeHours[1]}
              />
              <NumberField
                form={form}
                name="daysAhead"
                label={t('At most ahead')}
                unit={t('days')}
                min={LIMITS.daysAhead[0]}
                max={LIMITS.daysAhead[1]}
              />
              <NumberField
                form={form}
                name="durationMinutes"
                label={t('A visit takes')}
                unit={t('minutes')}
                min={LIMITS.durationMinutes[0]}
                max={LIMITS.durationMinutes[1]}
              />
              <NumberField
                form={form}
                name="bufferMinutes"
                label={t('Between two jobs')}
                unit={t('minutes')}
                min={LIMITS.bufferMinutes[0]}
                max={LIMITS.bufferMinutes[1]}
                hint={t('For the way, and what takes longer')}
              />
              <SelectField
                form={form}
                name="gridMinutes"
                label={t('Times every')}
                required
                placeholder={t('Choose')}
                options={GRID_OPTIONS}
              />
              <SelectField
                form={form}
                name="arrivalMinutes"
                label={t('You arrive')}
                required
                placeholder={t('Choose')}
                options={ARRIVAL_OPTIONS}
                hint={t('The arrival window that customers see')}
              />
              <NumberField
                form={form}
                name="dailyCap"
                label={t('Jobs a day')}
                unit={t('each crew')}
                min={LIMITS.dailyCap[0]}
                max={LIMITS.dailyCap[1]}
                hint={t('After that no one can book more. 0 is no limit.')}
              />
              <NumberField
                form={form}
                name="unprovenPerDay"
                label={t('New people a day')}
                unit={t('held times')}
                min={LIMITS.unprovenPerDay[0]}
                max={LIMITS.unprovenPerDay[1]}
                hint={t('We hold their time 15 minutes until they tap our link. More are requests that you answer.')}
              />
              <NumberField
                form={form}
                name="unprovenPerNetwork"
                label={t('Of these from one network')}
                unit={t('held times')}
                min={LIMITS.unprovenPerNetwork[0]}
                max={LIMITS.unprovenPerNetwork[1]}
                hint={t('One home or office')}
              />
              <NumberField
                form={form}
                name="emailOnlyPercent"
                label={t('Known only by email')}
                unit={t('% of a day')}
                min={LIMITS.emailOnlyPercent[0]}
                max={LIMITS.emailOnlyPercent[1]}
                hint={t('They book this much of a day with a tap in an email. More are requests that you answer.')}
              />
            </div>
            <TextAreaField
              form={form}
              name="zips"
              label={t('Where you go')}
              rows={2}
              autoComplete="off"
              inputMode="text"
              hint={t('ZIP codes, or their first three digits. Empty means everywhere.')}
            />
            <TextAreaField
              form={form}
              name="durations"
              label={t('What can be booked')}
              rows={3}
              autoComplete="off"
              hint={t('One a line with its minutes: Drain cleaning, 60. Empty means every service.')}
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
