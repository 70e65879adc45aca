// What is fetched anew once something was done about a lead: its page with papers and money, the lists, the conversation, its jobs.
import { inboxKey, jobsKey } from '@/domain/query-keys'
import { leadQueries } from '../queries'

export function aroundLead(orgId: string, leadId: string) {
  return [leadQueries.detail(orgId, leadId).queryKey, leadQueries.lists(orgId), inboxKey(orgId), jobsKey(orgId)] as const
}
