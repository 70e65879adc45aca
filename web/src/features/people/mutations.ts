import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { reauthPrompt } from '@/api/reauth-prompt'
import { crewsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { peopleMessages as texts } from './messages'
import { peopleQueries } from './queries'

export type TeamMember = Schema['TeamMember']
export type Invite = Schema['Invite']
export type NewInvite = Schema['NewInvite']
export type TeamMemberChange = Schema['TeamMemberChange']

/** Invites a member by email or text; a pending invitation to the same address is replaced. */
export function useInvitePerson() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: NewInvite) => unwrap(api.POST('/api/team/invites', { body })),
    meta: { failure: texts.invited.failure, invalidates: [peopleQueries.invites(orgId).queryKey] },
  })
}

/** The links grant access and are shown only after a recent verification: reauthenticates, then refetches the list. */
export function useRevealInviteLinks() {
  const { orgId } = useCurrentUser()
  const queryClient = useQueryClient()
  return async () => {
    if (await reauthPrompt.ask())
      await queryClient.invalidateQueries({ queryKey: peopleQueries.invites(orgId).queryKey })
  }
}

export function useRevokeInvite() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/team/invites/{id}', { params: { path: { id } } })),
    meta: { ...texts.revoked, invalidates: [peopleQueries.invites(orgId).queryKey] },
  })
}

/** Changes a member's role, crews and access. */
export function useChangePerson(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: TeamMemberChange) => unwrap(api.PATCH('/api/team/{id}', { params: { path: { id } }, body })),
    meta: { ...texts.saved, invalidates: [crewsKey(orgId)] },
  })
}

/** For a lost phone: their next sign-in asks for no code. */
export function useResetTwoFactor(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/team/{id}/second-factor', { params: { path: { id } } })),
    meta: { ...texts.forgotten, invalidates: [peopleQueries.team(orgId).queryKey] },
  })
}
