import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api, unwrap } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { SelectField, TextAreaField } from '@/ui/field'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { settingsMessages as texts } from '../messages'
import { useSaveSettings } from '../mutations'
import { settingsQueries } from '../queries'
import type { Settings, SettingsPatch } from '../types'
import { BOOKING_LIMITS as LIMITS, bookingSchema, type BookingValues, parseServices, parseZips } from './booking-schema'

const GRID_OPTIONS = [
  { value: '15', label: '15 minutes' },
  { value: '30', label: '30 minutes' },
  { value: '60', label: 'An hour' },
  { value: '120', label: '2 hours' },
  { value: '240', label: '4 hours' },
]
const ARRIVAL_OPTIONS = [
  { value: '0', label: 'At that time' },
  ...GRID_OPTIONS.map(({ value, label }) => ({ value, label: `Within ${label.toLowerCase()}` })),
]

const bookingQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...settingsQueries.all(orgId), 'booking'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/booking', { signal })),
    staleTime: 0,
  })

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
    <Card title="Online booking" icon="calendar">
      <BookingPage state={state.data} />
      <SettingsForm
        label="Online booking"
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
              label="Customers book by themselves"
              hint="Times come from the hours and jobs of the crews that can be booked"
            />
            <SwitchField
              form={form}
              name="depositFirst"
              label="Deposit before a time"
              hint="After approving an estimate, customers pay the deposit before they pick a time. Off: they pick a time first and pay to keep it."
            />
            <div className="grid gap-5 sm:grid-cols-2">
              <NumberField
                form={form}
                name="noticeHours"
                label="At least ahead"
                unit="hours"
                min={LIMITS.noticeHours[0]}
                max={LIMITS.noticeHours[1]}
              />
              <NumberField
                form={form}
                name="daysAhead"
                label="At most ahead"
                unit="days"
                min={LIMITS.daysAhead[0]}
                max={LIMITS.daysAhead[1]}
              />
              <NumberField
                form={form}
                name="durationMinutes"
                label="A visit takes"
                unit="minutes"
                min={LIMITS.durationMinutes[0]}
                max={LIMITS.durationMinutes[1]}
              />
              <NumberField
                form={form}
                name="bufferMinutes"
                label="Between two jobs"
                unit="minutes"
                min={LIMITS.bufferMinutes[0]}
                max={LIMITS.bufferMinutes[1]}
                hint="For the way, and what takes longer"
              />
              <SelectField
                form={form}
                name="gridMinutes"
                label="Times every"
                required
                placeholder="Choose"
                options={GRID_OPTIONS}
              />
              <SelectField
                form={form}
                name="arrivalMinutes"
                label="You arrive"
                required
                placeholder="Choose"
                options={ARRIVAL_OPTIONS}
                hint="The arrival window that customers see"
              />
              <NumberField
                form={form}
                name="dailyCap"
                label="Jobs a day"
                unit="each crew"
                min={LIMITS.dailyCap[0]}
                max={LIMITS.dailyCap[1]}
                hint="After that no one can book more. 0 is no limit."
              />
              <NumberField
                form={form}
                name="unprovenPerDay"
                label="New people a day"
                unit="held times"
                min={LIMITS.unprovenPerDay[0]}
                max={LIMITS.unprovenPerDay[1]}
                hint="We hold their time 15 minutes until they tap our link. More are requests that you answer."
              />
              <NumberField
                form={form}
                name="unprovenPerNetwork"
                label="Of these from one network"
                unit="held times"
                min={LIMITS.unprovenPerNetwork[0]}
                max={LIMITS.unprovenPerNetwork[1]}
                hint="One home or office"
              />
              <NumberField
                form={form}
                name="emailOnlyPercent"
                label="Known only by email"
                unit="% of a day"
                min={LIMITS.emailOnlyPercent[0]}
                max={LIMITS.emailOnlyPercent[1]}
                hint="They book this much of a day with a tap in an email. More are requests that you answer."
              />
            </div>
            <TextAreaField
              form={form}
              name="zips"
              label="Where you go"
              rows={2}
              autoComplete="off"
              inputMode="text"
              hint="ZIP codes, or their first three digits. Empty means everywhere."
            />
            <TextAreaField
              form={form}
              name="durations"
              label="What can be booked"
              rows={3}
              autoComplete="off"
              hint="One a line with its minutes: Drain cleaning, 60. Empty means every service."
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}

type BookingState = Awaited<ReturnType<NonNullable<ReturnType<typeof bookingQuery>['queryFn']>>>

/** The page itself: its address, whether it is live, and what it cannot offer. */
function BookingPage({ state }: { state: BookingState | undefined }) {
  const { orgTimezone } = useCurrentUser()
  if (!state) return null
  return (
    <div className="mb-5 grid gap-3">
      {state.isLive ? (
        <Notice tone="success" title="Your booking page is live">
          {state.nextFree ? (
            <>The first free time is {formatDateTime(state.nextFree, orgTimezone)}.</>
          ) : (
            'No time is free at the moment.'
          )}
        </Notice>
      ) : (
        <Notice tone="warning" title="No one can book yet">
          {state.whyNot}{' '}
          {state.whyNot?.includes('crew') && (
            <Link to={paths.settings('crews')} className="text-link min-h-6">
              Go to Crews
            </Link>
          )}
        </Notice>
      )}
      <CopyField
        label="booking"
        value={state.url}
        copied={{ title: 'Copied', description: 'Put it on your website, or send it to a customer.' }}
        failed={texts.copyFailed}
      />
      <p>
        <a
          href={state.url}
          target="_blank"
          rel="noreferrer"
          className="text-link inline-flex min-h-12 items-center gap-2"
        >
          See the page as customers do <Icon name="external" />
        </a>
      </p>
      {state.outsideLink && (
        <p className="text-note text-muted">
          Texts carry your own booking link, {state.outsideLink}. Empty it in Business info to have them carry this
          page.
        </p>
      )}
      {state.far.length > 0 && (
        <p className="text-note text-muted">
          Asked from outside your area within 30 days:{' '}
          {state.far.map(({ zip, asked }) => `${zip} (${asked})`).join(', ')}
        </p>
      )}
    </div>
  )
}
