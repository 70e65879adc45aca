import type { Schema } from '@/api/client'
import { buildId } from './builders'

/** `buildWorkItem({ kind: 'collect' })`; waits for 12 minutes. */
export function buildWorkItem(parts: Partial<Schema['WorkItem']> = {}): Schema['WorkItem'] {
  const id = buildId()
  return {
    key: `${parts.kind ?? 'answer'}:${id}`,
    kind: 'answer',
    source: 'form',
    action: 'answer',
    customerId: buildId(),
    leadId: id,
    customerName: 'Carla Customer',
    phone: '+13125550199',
    service: 'plumbing',
    excerpt: 'The kitchen tap drips.',
    since: new Date(Date.now() - 12 * 60_000).toISOString(),
    answerBy: null,
    isLate: false,
    amountCents: null,
    assignee: null,
    snoozedUntil: null,
    doneAt: null,
    doneBy: null,
    ...parts,
  }
}
