// Reminder preview, never cached.
import { queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { leadQueries } from '../queries'

export type Reminder = Schema['Reminder']

export function reminderQuery(orgId: string, leadId: string) {
  return queryOptions({
    queryKey: [...leadQueries.detail(orgId, leadId).queryKey, 'reminder'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/leads/{id}/reminder', { params: { path: { id: leadId } }, signal })),
    staleTime: 0,
    gcTime: 0,
  })
}
