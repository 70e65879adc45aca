import { useQuery } from '@tanstack/react-query'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { leadQueries } from '../queries'
import type { LeadFacts } from './next-step'

type LeadFactsState = { facts: LeadFacts | undefined; isFailed: boolean; retry: () => void }

/** What the next step of a lead depends on besides the lead. */
export function useLeadFacts(leadId: string): LeadFactsState {
  const { orgId } = useCurrentUser()
  const estimates = useQuery(leadQueries.estimates(orgId, leadId))
  const money = useQuery(leadQueries.money(orgId, leadId))
  const jobs = useQuery(leadQueries.jobs(orgId, leadId))
  const needsCrews = jobs.data?.some(({ date, crewId, status }) => date && !crewId && status === 'Scheduled') ?? false
  const crews = useQuery({ ...peopleQueries.crews(orgId), enabled: needsCrews })
  const all = [estimates, money, jobs]
  const isKnown = estimates.data && money.data && jobs.data && !(needsCrews && crews.isPending)
  return {
    facts: isKnown
      ? {
          estimates: estimates.data,
          money: money.data,
          jobs: jobs.data,
          hasCrews: crews.data?.some(({ isActive }) => isActive) ?? false,
        }
      : undefined,
    isFailed: all.some(({ data, isError }) => isError && !data),
    retry: () => {
      for (const query of all) if (!query.data) void query.refetch()
    },
  }
}
