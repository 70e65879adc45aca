// Undo of a release, for a minute.
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { useHoldLead } from '../mutations'
import type { LeadDetail } from '../queries'

/** As long as the server waits with the replies. */
const UNDO_MS = 60_000

function getReleaseTime(lead: LeadDetail): number | undefined {
  const released = lead.decisions
    .filter((decision) => decision.event === 'lead_released')
    .map((decision) => Date.parse(decision.at))
  return released.length === 0 ? undefined : Math.max(...released)
}

export function ReleasedLeadBanner({ lead }: { lead: LeadDetail }) {
  const at = getReleaseTime(lead)
  const isOpen = useIsBefore((at ?? 0) + UNDO_MS)
  const hold = useHoldLead(lead.id)
  if (at === undefined || lead.heldReason || !isOpen) return null
  return (
    <Notice tone="info" icon="clock" title={t('Released')}>
      <p>{t('The automatic replies leave within a minute.')}</p>
      <Button
        className="mt-3"
        variant="secondary"
        pending={hold.isPending}
        pendingText={t('Holding it...')}
        onClick={() => hold.mutate()}
      >
        {t('Hold it again')}
      </Button>
    </Notice>
  )
}
