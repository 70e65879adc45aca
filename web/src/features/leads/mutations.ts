// What one can do with leads: take them away as a file, let a held one through, send a message again.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { attachmentName, saveFile } from '@/lib/download'
import { useCurrentUser } from '@/session/use-session'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

export type ExportFormat = 'csv' | 'json'

async function exportLeads(format: ExportFormat, q: string): Promise<void> {
  const query = { format, ...(q === '' ? {} : { q }) }
  const { data, response } = await unwrapWithResponse(api.GET('/api/leads/export', { params: { query }, parseAs: 'blob' }))
  saveFile(data, attachmentName(response, `leads.${format}`))
}

/** Downloads the leads, those of the search where there is one. */
export function useExportLeads(format: ExportFormat, q: string) {
  return useMutation({
    mutationFn: () => exportLeads(format, q),
    meta: {
      success: { title: leadsMessages.export.title, description: leadsMessages.export[format] },
      failure: leadsMessages.export.failure,
    },
  })
}

/** Lets a held lead through: its automatic replies go out. */
export function useReleaseLead(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/leads/{id}/release', { params: { path: { id } } })),
    meta: { ...leadsMessages.release, invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, id).queryKey] },
  })
}

/** Sends a message once more because a person says so. */
export function useRetryMessage(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/messages/{id}/retry', { params: { path: { id } } })),
    meta: {
      success: leadsMessages.retry.success,
      failure: leadsMessages.retry.failure,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, leadId).queryKey],
    },
  })
}
