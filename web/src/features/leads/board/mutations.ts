// Lead moves with Undo: optimistic, rolled back on failure.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { inboxKey, jobsKey } from '@/domain/query-keys'
import { UNDO_MS } from '@/domain/job'
import { LEAD_STAGES, type LeadStage, type LeadSummary } from '@/domain/lead'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { queueOffline } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { leadQueries } from '../queries'
import { moveLeadToColumn } from './move-lead'
import { boardMessages as texts } from './messages'
import { type BoardColumn, boardQueries, type ColumnPage } from './queries'

const relatedKeys = (orgId: string) => [leadQueries.all(orgId), jobsKey(orgId), inboxKey(orgId)] as const

function useUndoMove() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (eventId: string) => unwrap(api.POST('/api/work/{eventId}/undo', { params: { path: { eventId } } })),
    meta: { success: texts.undone, failure: texts.undoFailed, invalidates: relatedKeys(orgId) },
  })
}

export type LeadMove = { lead: LeadSummary; to: LeadStage; reason?: string }

type ColumnPages = { pages: ColumnPage[]; pageParams: unknown[] }

export function useMoveLead() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const undo = useUndoMove()
  const [boards, columns] = [boardQueries.boards(orgId), boardQueries.columns(orgId)]
  return useMutation({
    mutationFn: async ({ lead, to, reason }: LeadMove) => {
      const command = { kind: 'lead_stage', to, ...(reason ? { reason } : {}) } as const
      if (await queueOffline({ jobId: lead.id, jobName: lead.name, command })) return undefined
      return unwrap(
        api.POST('/api/leads/{id}/stage', {
          params: { path: { id: lead.id } },
          body: { stage: to, ...(reason ? { reason } : {}) },
        }),
      )
    },
    onMutate: async ({ lead, to }) => {
      // A pending move is shown from the outbox.
      if (!navigator.onLine && !isDemoMode()) return []
      await Promise.all([boards, columns].map((queryKey) => client.cancelQueries({ queryKey })))
      const before: [QueryKey, unknown][] = [boards, columns].flatMap((queryKey) => client.getQueriesData({ queryKey }))
      client.setQueriesData<BoardColumn[]>({ queryKey: boards }, (shown) => shown && moveLeadToColumn(shown, lead, to))
      client.setQueriesData<ColumnPages>(
        { queryKey: columns },
        (shown) =>
          shown && {
            ...shown,
            pages: shown.pages.map((page) => ({ ...page, leads: page.leads.filter(({ id }) => id !== lead.id) })),
          },
      )
      return before
    },
    onError: (_error, _move, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
    },
    onSuccess: (moved, { to }, before) => {
      if (!moved) {
        for (const [key, data] of before) client.setQueryData(key, data)
        return showQueuedToast()
      }
      const { name, undo: last } = moved
      toast.show(texts.moved(LEAD_STAGES[to].label), {
        description: name,
        ...(last
          ? { durationMs: UNDO_MS, action: { label: t('Undo'), onAction: () => undo.mutate(last.eventId) } }
          : {}),
      })
    },
    meta: { failure: texts.moveFailed, invalidates: relatedKeys(orgId) },
  })
}
