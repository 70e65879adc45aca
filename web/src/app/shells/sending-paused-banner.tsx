// Banner while sending is paused after a restore or an import.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { isDemoMode } from '@/lib/demo'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'

const POLL_INTERVAL_MS = 5 * 60_000

const sendingStateQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'outbox'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/outbox', { signal })),
    staleTime: POLL_INTERVAL_MS,
    refetchInterval: ({ state }) => (state.data?.frozen ? POLL_INTERVAL_MS : false),
  })

const CAUSES = {
  restored: (date: string) => t('This is a copy, put back as of {date}.', { date }),
  imported: (date: string) => t('This business was brought in as of {date}.', { date }),
  moved: (date: string) => t('This data moved to another database on {date}.', { date }),
} as const satisfies Record<Schema['FreezeReason'], (date: string) => string>

const SENDING_HELD_TEXT = t('Texts, emails and alerts wait until the person who runs your Toolbox releases them.')
const READ_ONLY_TEXT = t('This server no longer accepts changes.')

export function SendingPausedBanner() {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const { data } = useQuery({ ...sendingStateQuery(orgId), enabled: role !== 'crew' && !isDemoMode() })
  if (!data?.frozen) return null
  const { why, copiedAt } = data.frozen
  return (
    <aside
      role="status"
      aria-label={t('Nothing is sent')}
      className="flex items-start gap-2 border-b border-warning/40 bg-warning/8 px-4 py-2 text-note"
    >
      <Icon name="alert" className="mt-0.5 size-4 shrink-0 text-warning" />
      <p className="min-w-0 flex-1">
        <b className="text-warning">{t('Nothing is sent.')}</b> {CAUSES[why](formatDateTime(copiedAt, orgTimezone))}{' '}
        {why === 'moved' ? READ_ONLY_TEXT : SENDING_HELD_TEXT}
      </p>
    </aside>
  )
}
