// What the office does with a phone or email that a form named: use it, dismiss it, take that back.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { UNDO_MS } from '@/domain/job'
import { customersKey, inboxKey, jobsKey, leadsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { contactTexts as texts } from './messages'

const around = (orgId: string) => [customersKey(orgId), leadsKey(orgId), jobsKey(orgId), inboxKey(orgId)] as const

function useUndo() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/contact-proposals/{id}/undo', { params: { path: { id } } })),
    meta: { success: texts.undone, failure: texts.undoFailed, invalidates: around(orgId) },
  })
}

export function useProposal(decision: 'use' | 'dismiss') {
  const { orgId } = useCurrentUser()
  const { mutate: undo } = useUndo()
  const [said, failure] =
    decision === 'use' ? [texts.accepted, texts.acceptFailed] : [texts.dismissed, texts.dismissFailed]
  return useMutation({
    mutationFn: (id: string) =>
      decision === 'use'
        ? unwrap(api.POST('/api/contact-proposals/{id}/use', { params: { path: { id } } }))
        : unwrap(api.POST('/api/contact-proposals/{id}/dismiss', { params: { path: { id } } })),
    onSuccess: (_customer, id) => {
      toast.show(said.title, {
        description: said.description,
        durationMs: UNDO_MS,
        action: { label: 'Undo', onAction: () => undo(id) },
      })
    },
    meta: { failure, invalidates: around(orgId) },
  })
}
