// Alerts with the same cause, as one line.
import type { Schema } from '@/api/client'
import { formatCount } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { leadsMessages } from '../messages'

type Alert = Schema['Alert']

export type AlertGroup = { key: string; title: string; alerts: readonly Alert[]; isUrgent: boolean }

/** Fewer are shown one by one. */
const SMALLEST_GROUP = 3
/** In alerts about texts that were not sent. */
const REASON = /^The reason: (.+?)\.(?:\s|$)/

const getReason = ({ body }: Alert) => REASON.exec(body)?.[1]

/** Urgent alerts are never folded together with others. */
const getCause = (alert: Alert) => `${alert.isUrgent ? 'urgent' : 'plain'}:${alert.kind}:${getReason(alert) ?? ''}`

/** `37 texts did not get through: the number is not registered` */
function describeGroup(alerts: readonly Alert[]): string {
  const [first] = alerts
  if (!first) return ''
  const [count, reason] = [formatCount(alerts.length), getReason(first)]
  const titles: Partial<Record<Alert['kind'], (count: string) => string>> = leadsMessages.alerts.groups
  const title = titles[first.kind]?.(count)
  if (title === undefined) return t('{count} like this: {title}', { count, title: first.title })
  return reason === undefined ? title : `${title}: ${reason}`
}

/** In order of their first alert. */
export function groupAlerts(alerts: readonly Alert[]): AlertGroup[] {
  const byCause = new Map<string, Alert[]>()
  for (const alert of alerts) {
    const cause = getCause(alert)
    byCause.set(cause, [...(byCause.get(cause) ?? []), alert])
  }
  return [...byCause].flatMap(([cause, own]) =>
    own.length < SMALLEST_GROUP
      ? own.map((alert) => ({ key: alert.id, title: alert.title, alerts: [alert], isUrgent: alert.isUrgent }))
      : [{ key: cause, title: describeGroup(own), alerts: own, isUrgent: own.some(({ isUrgent }) => isUrgent) }],
  )
}
