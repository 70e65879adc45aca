import { useQuery } from '@tanstack/react-query'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { useAssignLead } from '../mutations'
import type { LeadDetail } from '../queries'

export function LeadOwnerSelect({ lead: { id, ownerUserId, ownerName } }: { lead: LeadDetail }) {
  const { orgId } = useCurrentUser()
  const { data: team } = useQuery(peopleQueries.team(orgId))
  const give = useAssignLead(id)
  const active = team?.filter(({ isActive }) => isActive) ?? []
  // A deactivated owner is still shown but cannot be chosen.
  const isKnown = !ownerUserId || active.some((member) => member.id === ownerUserId)
  const value = (give.isPending ? give.variables : ownerUserId) ?? ''
  return (
    <select
      className="select"
      aria-label="Owner"
      value={value}
      disabled={!team || give.isPending}
      onChange={({ target }) => give.mutate(target.value || null)}
    >
      <option value="">Unassigned</option>
      {!isKnown && (
        <option value={ownerUserId} disabled>
          {ownerName}
          {team && ' (no longer active)'}
        </option>
      )}
      {active.map((member) => (
        <option key={member.id} value={member.id}>
          {member.name}
        </option>
      ))}
    </select>
  )
}
