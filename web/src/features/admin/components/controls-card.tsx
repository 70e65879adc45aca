// Security controls in four groups, with links to missing ones.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { adminMessages } from '../messages'
import { adminQueries, type SecurityControl } from '../queries'
import { PanelUnavailable } from './panel-unavailable'

const texts = adminMessages.report

export function SecurityControlsCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const report = useQuery(adminQueries.report(orgId))
  return (
    <Card title={texts.title} icon="check-circle">
      <QueryBoundary
        query={report}
        skeleton={<SkeletonLines lines={12} />}
        timeZone={orgTimezone}
        renderError={() => (
          <PanelUnavailable
            title={texts.unavailable}
            isRetrying={report.isFetching}
            onRetry={() => void report.refetch()}
          />
        )}
      >
        {({ security_measures: measures }) => (
          <div className="grid gap-5 md:grid-cols-2">
            <Group title={t('Authentication')} controls={measures.authentication} />
            <Group title={t('Data Protection')} controls={measures.data_protection} />
            <Group title={t('Infrastructure')} controls={measures.infrastructure} />
            <Group title={t('Monitoring')} controls={measures.monitoring} />
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

/** Whoever does not own the business sees groups with nothing of their own in them not at all. */
function Group({ title, controls }: { title: string; controls: readonly SecurityControl[] }) {
  if (controls.length === 0) return null
  return (
    <section aria-label={title} className="grid content-start gap-2">
      <h3 className="font-semibold">{title}</h3>
      <ul className="grid gap-2">
        {controls.map((control) => (
          <ControlRow key={control.name} control={control} />
        ))}
      </ul>
    </section>
  )
}

function ControlRow({ control: { name, ok, detail, advice, link } }: { control: SecurityControl }) {
  return (
    <li className="flex items-start gap-2 text-note">
      <Icon name={ok ? 'check' : 'close'} className={ok ? 'mt-0.5 size-4 text-success' : 'mt-0.5 size-4 text-error'} />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-semibold">{name}</span>
        <span className="sr-only">{ok ? t(', in place') : t(', not in place')}</span>
        <span className="block text-caption text-muted first-letter:uppercase">{detail}</span>
        {advice && (
          <span className="block text-caption">
            {advice}{' '}
            {link && (
              <Link to={link} className="text-link">
                {t('Go there')}
              </Link>
            )}
          </span>
        )}
      </span>
    </li>
  )
}
