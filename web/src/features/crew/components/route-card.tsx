// Remaining route of the day in the phone's map app.
import { useQueries } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { crewLabel, NO_PLACE } from '@/features/jobs/lib/labels'
import { jobQueries } from '@/features/jobs/queries'
import type { JobSummary } from '@/features/jobs/types'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { isAppleDevice, type RouteLeg, splitRoute, type RouteStop } from '../lib/route'

const LINK =
  'flex min-h-14 flex-1 items-center justify-center gap-2 rounded-field border border-primary/55 px-3 text-center font-semibold hover:bg-primary/10'

/** Stops of the day that are not done, whole where this phone has them: a map needs the ZIP code too. */
function useRouteStops(jobs: readonly JobSummary[]): RouteStop[] {
  const { orgId } = useCurrentUser()
  const whole = useQueries({
    queries: jobs.map(({ id }) => ({ ...jobQueries.detail(orgId, id), enabled: navigator.onLine })),
  })
  return jobs.map(({ id, customer, location }, at) => {
    const job = whole[at]?.data
    const known = job ? [job.address, job.zip].filter(Boolean).join(', ') : location === NO_PLACE ? '' : location
    return { id, customer, place: known === '' ? undefined : known }
  })
}

/** A route for each own crew; without a crew, those of all. */
export function RouteCard({ jobs }: { jobs: readonly JobSummary[] }) {
  const crews = [...new Set(jobs.map(({ crew }) => crew))]
  return crews.map((crew) => (
    <RouteView
      key={crew}
      jobs={jobs.filter((job) => job.crew === crew)}
      name={crews.length > 1 ? t('Route, {crew}', { crew: crewLabel(crew) }) : t('Route')}
    />
  ))
}

/** Of a single stop the job itself has the map. */
function RouteView({ jobs, name }: { jobs: readonly JobSummary[]; name: string }) {
  const stops = useRouteStops(jobs)
  const legs = splitRoute(stops)
  const without = stops.filter(({ place }) => !place)
  if (stops.length < 2 || legs.length === 0) return null
  return (
    <section aria-label={name} className="glass-card grid gap-3 p-4">
      <h2 className="flex items-center gap-2 text-section">
        <Icon name="pin" className="text-primary" />
        <span className="min-w-0 wrap-anywhere">{name}</span>
        <span className="ml-auto shrink-0 text-note text-muted tabular-nums">
          {t('{count} stops', { count: stops.length - without.length })}
        </span>
      </h2>
      {legs.map((leg) => (
        <LegLinks key={leg.google} leg={leg} />
      ))}
      {without.length > 0 && (
        <p className="text-note text-warning">
          {t('Without an address, so not on it: {names}', {
            names: without.map(({ customer }) => customer).join(', '),
          })}
        </p>
      )}
    </section>
  )
}

const labelOfOne = (name: string, stops: string) =>
  stops === '' ? t('Open in {name}', { name }) : t('Open in {name}, stops {stops}', { name, stops })

const labelOfSeveral = (name: string, stops: string) =>
  stops === '' ? name : t('{name}, stops {stops}', { name, stops })

function LegLinks({ leg: { stops, google, apple } }: { leg: RouteLeg }) {
  const ways = [
    ...(isAppleDevice() ? [{ name: 'Apple Maps', href: apple }] : []),
    { name: 'Google Maps', href: google },
  ]
  return (
    <div className="flex flex-wrap gap-2">
      {ways.map(({ name, href }) => (
        <a key={name} href={href} target="_blank" rel="noopener noreferrer" className={LINK}>
          <Icon name="external" className="text-primary" />
          {ways.length > 1 ? labelOfSeveral(name, stops) : labelOfOne(name, stops)}
          <span className="sr-only"> {t('(new tab)')}</span>
        </a>
      ))}
    </div>
  )
}
