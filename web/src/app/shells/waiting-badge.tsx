// Who waits for the business, on the link to the worklist.
import { useWaitingCount } from '@/features/worklist/lib/use-waiting-count'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { CountBadge } from './count-badge'

type WaitingBadgeProps = { /** Link path; only the worklist's has a badge. */ href: string; className?: string }

export function WaitingBadge({ href, className }: WaitingBadgeProps) {
  const waiting = useWaitingCount()?.waiting ?? 0
  if (href !== paths.app || waiting === 0) return null
  return <CountBadge count={waiting} tone="secondary" accessibleLabel={t('waiting')} className={className} />
}
