import { useQuery } from '@tanstack/react-query'
import type { Tone } from '@/domain/tone'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { Icon, type IconName } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { ToolStatus } from '../types'
import { STOPPED_ID } from './stopped-tasks-card'

const STATES = {
  operational: { tone: 'success', icon: 'check-circle', label: t('operational') },
  degraded: { tone: 'warning', icon: 'alert', label: t('degraded') },
  down: { tone: 'error', icon: 'close', label: t('down') },
} as const satisfies Record<ToolStatus['status'], { tone: Tone; icon: IconName; label: string }>

export function SystemStatusCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const status = useQuery(settingsQueries.systemStatus(orgId))
  return (
    <Card
      title={t('System Status')}
      icon="wrench"
      aside={
        <IconButton
          label={t('Look again')}
          icon="refresh"
          className="-my-3"
          disabled={status.isFetching}
          onClick={() => void status.refetch()}
        />
      }
    >
      <QueryBoundary
        query={status}
        skeleton={<SkeletonLines lines={10} />}
        errorText={settingsMessages.statusFailed}
        timeZone={orgTimezone}
      >
        {(tools) => (
          <ul aria-label={t('Tools')} className="divide-y divide-primary/22">
            {tools.map((tool) => (
              <ToolRow key={tool.tool} tool={tool} timeZone={orgTimezone} />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Card>
  )
}

function ToolRow({
  tool: { name, status, detail, lastSuccessAt, checks },
  timeZone,
}: {
  tool: ToolStatus
  timeZone: string
}) {
  const { tone, icon, label } = STATES[status]
  return (
    <li className="grid gap-1 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{name}</h3>
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      <p className="text-note text-muted wrap-anywhere first-letter:uppercase">
        <StatusDetail text={detail} />
      </p>
      {lastSuccessAt && (
        <p className="text-caption text-muted">
          {t('Last worked {date}', { date: formatDateTime(lastSuccessAt, timeZone) })}
        </p>
      )}
      {checks.length > 0 && (
        <Disclosure summary={plural(checks.length, '{count} check', '{count} checks')}>
          <ul className="grid gap-2 pb-2">
            {checks.map((check) => (
              <li key={check.name} className="flex items-start gap-2 text-note">
                <Icon
                  name={check.ok ? 'check' : 'alert'}
                  className={check.ok ? 'mt-0.5 size-4 text-success' : 'mt-0.5 size-4 text-error'}
                />
                <span className="min-w-0 wrap-anywhere">
                  <span className="font-semibold">{check.name}</span>
                  <span className="sr-only">{check.ok ? t(', fine') : t(', not right')}</span>:{' '}
                  <StatusDetail text={check.detail} />
                </span>
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </li>
  )
}

/** As the server writes it. */
const STOPPED = 'Work that stopped'
/** The server knows no zone of who reads. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g

/** The server's words; where they name the card beside, they lead there. */
function StatusDetail({ text }: { text: string }) {
  const { role, orgTimezone } = useCurrentUser()
  const localizedText = text.replace(INSTANT, (at) => formatDateTime(at, orgTimezone))
  const [before = '', after] = localizedText.split(STOPPED)
  if (after === undefined || role !== 'owner') return localizedText
  return (
    <>
      {before}
      <button
        type="button"
        className="text-link"
        onClick={() => document.querySelector<HTMLElement>(`#${STOPPED_ID}`)?.focus()}
      >
        {t('Work that stopped')}
      </button>
      {after}
    </>
  )
}
