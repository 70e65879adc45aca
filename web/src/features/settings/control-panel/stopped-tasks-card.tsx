import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { formatIdentifier } from '@/lib/format/identifier'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import {
  stoppedTaskMessages,
  type StoppedTasks,
  stoppedTasksQuery,
  useRetryAllTasks,
  useRetryTask,
} from './stopped-tasks'

/** Where the words of System Status lead. */
export const STOPPED_ID = 'stopped'

/** Names of the task kinds for the owner. */
const KINDS = {
  send_message: t('Sending a message'),
  send_email: t('Sending an email'),
  reconcile_delivery: t('Finding out whether a message arrived'),
  process_inbound_sms: t('Taking in a text'),
  fetch_media: t('Fetching pictures of a text'),
  redraw_photos: t('Preparing photos'),
  push_alert: t('Alerting your devices'),
  escalate_alert: t('Passing an alert on to the next person'),
  test_device: t('Testing a device'),
  send_pulse: t('Making the KPI report'),
  deliver_webhook: t('Calling a webhook'),
  send_number_code: t('Sending the code for a number'),
  buy_number: t('Buying a phone number'),
  register_texting: t('Registering texts with the carriers'),
} as const satisfies Record<string, string>

const getTaskLabel = (kind: string) => (kind in KINDS ? KINDS[kind as keyof typeof KINDS] : formatIdentifier(kind))

export function StoppedTasksCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const tasks = useQuery(stoppedTasksQuery(orgId))
  return (
    <div id={STOPPED_ID} tabIndex={-1} className="scroll-mt-20 rounded-box">
      <Card
        title={t('Work that stopped')}
        icon="refresh"
        aside={
          tasks.data &&
          tasks.data.total > 0 && <span className="text-muted tabular-nums">{formatCount(tasks.data.total)}</span>
        }
      >
        <QueryBoundary
          query={tasks}
          skeleton={<SkeletonLines lines={3} />}
          errorText={stoppedTaskMessages.failed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0}
          empty={<p className="text-muted">{stoppedTaskMessages.none}</p>}
        >
          {(stopped) => <StoppedTaskList stopped={stopped} timeZone={orgTimezone} />}
        </QueryBoundary>
      </Card>
    </div>
  )
}

function StoppedTaskList({ stopped: { total, tasks }, timeZone }: { stopped: StoppedTasks; timeZone: string }) {
  const all = useRetryAllTasks()
  return (
    <div className="grid gap-4">
      <p className="text-note text-muted">
        {t('Each was tried until nothing more could be hoped for. Once its cause is gone, it can be tried again.')}
      </p>
      <ul aria-label={t('Work that stopped')} className="divide-y divide-primary/22">
        {tasks.map((task) => (
          <StoppedRow key={task.id} task={task} timeZone={timeZone} />
        ))}
      </ul>
      {total > tasks.length && (
        <p className="text-note text-muted">{t('And {count} older.', { count: formatCount(total - tasks.length) })}</p>
      )}
      <Button
        variant="secondary"
        icon="refresh"
        wide
        pending={all.isPending}
        pendingText={t('Starting...')}
        onClick={() => all.mutate()}
      >
        {t('Try all again')}
      </Button>
    </div>
  )
}

function StoppedRow({
  task: { id, kind, finishedAt, createdAt, lastError },
  timeZone,
}: {
  task: Schema['Task']
  timeZone: string
}) {
  const retry = useRetryTask()
  const label = getTaskLabel(kind)
  return (
    <li className="flex items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <h3 className="font-semibold">{label}</h3>
        <p className="text-caption text-muted">
          {t('Stopped {date}', { date: formatDateTime(finishedAt ?? createdAt, timeZone) })}
        </p>
        {lastError && <p className="text-note text-muted wrap-anywhere first-letter:uppercase">{lastError}</p>}
      </div>
      <Button
        variant="ghost"
        className="shrink-0"
        aria-label={t('Try again: {label}', { label })}
        pending={retry.isPending}
        onClick={() => retry.mutate(id)}
      >
        {t('Try again')}
      </Button>
    </li>
  )
}
