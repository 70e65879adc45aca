import { useQuery } from '@tanstack/react-query'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, t } from '@/lib/i18n'
import type { TeamMember } from '@/offline/outbox/entry'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { useAssignLead } from '../mutations'
import type { LeadDetail } from '../queries'

export function LeadOwnerSelect({ lead }: { lead: LeadDetail }) {
  const { orgId } = useCurrentUser()
  const { data: team } = useQuery(peopleQueries.team(orgId))
  const give = useAssignLead(lead)
  // Choices that wait on this device, or were refused.
  const entries = useEntriesOfKind('lead_owner', lead.id)
  const waiting = entries.findLast(({ refusal }) => refusal === null)
  const owner = lead.ownerUserId ? { id: lead.ownerUserId, name: lead.ownerName ?? '' } : null
  const shown: TeamMember | null | undefined = give.isPending ? give.variables : waiting ? waiting.command.to : owner
  const active = team?.filter(({ isActive }) => isActive) ?? []
  // A deactivated owner is still shown but cannot be chosen.
  const isKnown = !shown || active.some((member) => member.id === shown.id)
  const choose = (id: string) => {
    const member = active.find((one) => one.id === id)
    give.mutate(member ? { id, name: member.name } : null)
  }
  return (
    <div className="grid gap-1">
      <select
        className="select"
        aria-label={pgettext('of a lead', 'Owner')}
        value={shown?.id ?? ''}
        disabled={!team || give.isPending}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{t('Unassigned')}</option>
        {shown && !isKnown && (
          <option value={shown.id} disabled>
            {team ? t('{name} (no longer active)', { name: shown.name }) : shown.name}
          </option>
        )}
        {active.map((member) => (
          <option key={member.id} value={member.id}>
            {member.name}
          </option>
        ))}
      </select>
      {entries.map((entry) => (
        <QueuedLine key={entry.id} entry={entry} subject={entry.command.to?.name ?? t('Unassigned')} />
      ))}
    </div>
  )
}
