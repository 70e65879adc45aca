// Job cost mutations; each returns all costs with the margin.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { figuresKey } from '@/domain/query-keys'
import { UNDO_MS } from '@/domain/job'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '../messages'
import { costQueries } from './cost-queries'
import { toNewJobCost, COST_KINDS, type JobCost, type JobCosts, type NewJobCost } from './cost-text'

const texts = jobsMessages.costs

function useCacheCosts(jobId: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return {
    keep: (costs: JobCosts) => client.setQueryData(costQueries.ofJob(orgId, jobId).queryKey, costs),
    figures: [figuresKey(orgId)] as const,
  }
}

/** Pressed twice, it is one. */
export function useAddCost(jobId: string) {
  const { keep, figures } = useCacheCosts(jobId)
  const form = `job-cost:${jobId}`
  return useMutation({
    mutationFn: (body: NewJobCost) =>
      unwrap(
        api.POST('/api/jobs/{id}/costs', {
          params: { path: { id: jobId }, header: { 'Idempotency-Key': getSubmissionKey(form, body) } },
          body,
        }),
      ),
    onSuccess: (costs) => {
      clearSubmissionKey(form)
      keep(costs)
    },
    meta: { failure: texts.addFailed, invalidates: figures },
  })
}

/** The toast brings it back: noted once more, it is the same cost. */
export function useRemoveCost(jobId: string) {
  const { keep, figures } = useCacheCosts(jobId)
  const { mutate: bringBack } = useAddCost(jobId)
  return useMutation({
    mutationFn: ({ id: costId }: JobCost) =>
      unwrap(api.DELETE('/api/jobs/{id}/costs/{costId}', { params: { path: { id: jobId, costId } } })),
    onSuccess: (costs, cost) => {
      keep(costs)
      toast.show(texts.removed, {
        description: `${COST_KINDS[cost.kind]}, ${formatCents(cost.amount)}`,
        durationMs: UNDO_MS,
        action: { label: t('Undo'), onAction: () => bringBack(toNewJobCost(cost)) },
      })
    },
    meta: { failure: texts.removeFailed, invalidates: figures },
  })
}
