// The booking page of a business: its address, whether it is live, and what it cannot offer.
import { queryOptions } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api, unwrap } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { CopyField } from '@/ui/copy-field'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { settingsMessages as texts } from '../messages'
import { settingsQueries } from '../queries'

export const bookingQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...settingsQueries.all(orgId), 'booking'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/booking', { signal })),
    staleTime: 0,
  })

type BookingState = Awaited<ReturnType<NonNullable<ReturnType<typeof bookingQuery>['queryFn']>>>

export function BookingPage({ state }: { state: BookingState | undefined }) {
  const { orgTimezone } = useCurrentUser()
  if (!state) return null
  return (
    <div className="mb-5 grid gap-3">
      {state.isLive ? (
        <Notice tone="success" title={t('Your booking page is live')}>
          {state.nextFree
            ? t('The first free time is {date}.', { date: formatDateTime(state.nextFree, orgTimezone) })
            : t('No time is free at the moment.')}
        </Notice>
      ) : (
        <Notice tone="warning" title={t('No one can book yet')}>
          {state.whyNot}{' '}
          {state.whyNot?.includes('crew') && (
            <Link to={paths.settings('crews')} className="text-link min-h-6">
              {t('Go to Crews')}
            </Link>
          )}
        </Notice>
      )}
      <CopyField
        label={t('booking')}
        value={state.url}
        copied={{ title: t('Copied'), description: t('Put it on your website, or send it to a customer.') }}
        failed={texts.copyFailed}
      />
      <p>
        <a
          href={state.url}
          target="_blank"
          rel="noreferrer"
          className="text-link inline-flex min-h-12 items-center gap-2"
        >
          {t('See the page as customers do')} <Icon name="external" />
        </a>
      </p>
      {state.outsideLink && (
        <p className="text-note text-muted">
          {t('Texts carry your own booking link, {link}. Empty it in Business info to have them carry this page.', {
            link: state.outsideLink,
          })}
        </p>
      )}
      {state.far.length > 0 && (
        <p className="text-note text-muted">
          {t('Asked from outside your area within 30 days:')}{' '}
          {state.far.map(({ zip, asked }) => `${zip} (${asked})`).join(', ')}
        </p>
      )}
    </div>
  )
}
