// The next free times after a form, as buttons; they are chosen on the page behind the request's link.
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { KeyboardEvent, ReactNode } from 'react'
import { api, type Schema, unwrap } from '@/api/client'
import { formatWeekday } from '@/lib/format/date'
import { Button, ExternalButton } from '@/ui/button'
import { Field } from '@/ui/field'
import { Skeleton } from '@/ui/skeleton'
import { customerPageMessages as texts } from './messages'

const timesQuery = (link: string) =>
  queryOptions({
    queryKey: ['public', 'times', link] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/public/times', { params: { query: { link } }, signal })),
    staleTime: 0,
    retry: false,
  })

type FreeTimesProps = {
  context: Schema['FormContext'] | undefined
  receipt: Schema['Created']
  /** As typed; empty where left out. */
  address?: string
}

/** Empty while the business takes no bookings. */
export function FreeTimes({ context, receipt, address = '' }: FreeTimesProps) {
  if (receipt.timesPath) return <RequestTimes path={receipt.timesPath} address={address} />
  if (!context?.bookingUrl) return null
  return (
    <FreeTimesSection>
      <ExternalButton href={context.bookingUrl} icon="calendar">
        {texts.freeTimes.action}
      </ExternalButton>
    </FreeTimesSection>
  )
}

function FreeTimesSection({ children }: { children: ReactNode }) {
  return (
    <section aria-labelledby="free-times" className="grid w-full justify-items-center gap-3">
      <h2 id="free-times" className="text-crew">
        {texts.freeTimes.title}
      </h2>
      {children}
    </section>
  )
}

function RequestTimes({ path, address }: { path: string; address: string }) {
  const times = useQuery(timesQuery(path.slice(path.lastIndexOf('/') + 1)))
  return (
    <FreeTimesSection>
      {times.isPending && <Skeleton className="h-12 w-full" />}
      {times.isError && (
        <ExternalButton href={path} icon="calendar">
          {texts.freeTimes.action}
        </ExternalButton>
      )}
      {times.data && <TimesForm path={path} address={address} times={times.data} />}
    </FreeTimesSection>
  )
}

/** Enter would press the first time. */
function ignoreEnter(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key === 'Enter') event.preventDefault()
}

type TimesFormProps = { path: string; address: string; times: Schema['RequestTimes'] }

function TimesForm({ path, address, times }: TimesFormProps) {
  if (times.next.length === 0) return <p>{texts.freeTimes.none}</p>
  return (
    <form method="post" action={`${path}/time`} className="grid w-full gap-3">
      {address && <input type="hidden" name="address" value={address} />}
      {!address && times.needsAddress && (
        <Field label={texts.freeTimes.address} required className="text-left">
          {(aria) => (
            <input
              {...aria}
              name="address"
              className="input"
              autoComplete="street-address"
              maxLength={300}
              required
              onKeyDown={ignoreEnter}
            />
          )}
        </Field>
      )}
      <div className="grid gap-2">
        {times.next.map(({ startsAt, day, label }) => (
          <Button key={startsAt} type="submit" name="startsAt" value={startsAt} variant="secondary" wide>
            {formatWeekday(`${day}T12:00:00Z`, 'UTC')}, {label}
          </Button>
        ))}
      </div>
      <ExternalButton href={path} variant="ghost" icon="calendar">
        {texts.freeTimes.other}
      </ExternalButton>
    </form>
  )
}
