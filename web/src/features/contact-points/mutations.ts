// Decisions on proposed contact details: use, dismiss, undo.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { UNDO_MS } from '@/domain/job'
import { customersKey, inboxKey, jobsKey, leadsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { contactMessages as texts } from './messages'
import type { ContactProposal } from './types'

const relatedKeys = (orgId: string) => [customersKey(orgId), leadsKey(orgId), jobsKey(orgId), inboxKey(orgId)] as const

function useUndoProposal() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/contact-proposals/{id}/undo', { params: { path: { id } } })),
    meta: { success: texts.undone, failure: texts.undoFailed, invalidates: relatedKeys(orgId) },
  })
}

export function useDecideProposal(decision: 'use' | 'dismiss', kind: ContactProposal['kind']) {
  const { orgId } = useCurrentUser()
  const { mutate: undo } = useUndoProposal()
  const [success, failure] =
    decision === 'use' ? [texts.accepted[kind], texts.acceptFailed] : [texts.dismissed, texts.dismissFailed]
  return useMutation({
    mutationFn: (id: string) =>
      decision === 'use'
        ? unwrap(api.POST('/api/contact-proposals/{id}/use', { params: { path: { id } } }))
        : unwrap(api.POST('/api/contact-proposals/{id}/dismiss', { params: { path: { id } } })),
    onSuccess: (_customer, id) => {
      toast.show(success.title, {
        description: success.description,
        durationMs: UNDO_MS,
        action: { label: t('Undo'), onAction: () => undo(id) },
      })
    },
    meta: { failure, invalidates: relatedKeys(orgId) },
  })
}
