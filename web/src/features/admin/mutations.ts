import { useMutation } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { showMailToast } from '@/features/documents/mail-toast'
import { getAttachmentName, saveFile } from '@/lib/download'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { adminMessages as texts } from './messages'
import { adminQueries, type AuditFilter, type SecurityAlert } from './queries'

/** Switches a security alert. The score is refetched. */
export function useToggleAlert() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: ({ alertId, enabled }: Pick<SecurityAlert, 'alertId' | 'enabled'>) =>
      unwrap(api.PATCH('/api/security/alerts/{alertId}', { params: { path: { alertId } }, body: { enabled } })),
    meta: {
      success: texts.alerts.saved,
      failure: texts.alerts.notSaved,
      failureIsFixed: true,
      invalidates: [
        adminQueries.alerts(orgId).queryKey,
        adminQueries.status(orgId).queryKey,
        adminQueries.report(orgId).queryKey,
      ],
    },
  })
}

/** Downloads the compliance report, made for this name. */
export function useDownloadReport() {
  return useMutation({
    mutationFn: async (organisation: string) => {
      const request = { params: { path: { organisation } }, parseAs: 'blob' } as const
      const { data, response } = await unwrapWithResponse(api.GET('/api/security/compliance/{organisation}', request))
      saveFile(data, getAttachmentName(response, 'security-compliance.md'))
    },
    meta: { success: texts.compliance.done, failure: texts.compliance.failed, failureIsFixed: true },
  })
}

/** Downloads the log as it is narrowed. */
export function useExportAuditLog(query: AuditFilter) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/security/audit-log/export', { params: { query }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, 'audit-log.csv'))
    },
    meta: { success: texts.audit.exported, failure: texts.audit.exportFailed },
  })
}

/** Ends all sessions of a member and mails a password reset link. */
export function useForcePasswordReset(onDone: () => void) {
  return useMutation({
    mutationFn: (id: string) =>
      unwrapWithResponse(api.POST('/api/admin/clients/{id}/reset-password', { params: { path: { id } } })),
    onSuccess: ({ response }) => {
      showMailToast(response.headers, texts.clients.resetDone)
      onDone()
    },
    meta: { failure: texts.clients.resetFailed },
  })
}

/** Lets a business send without payment, or takes that back. */
export function useAllowUnpaid() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async ({ id, isLet }: { id: string; isLet: boolean }) => {
      const request = { params: { path: { id } } }
      await (isLet
        ? unwrap(api.PUT('/api/admin/businesses/{id}/let-through', request))
        : unwrap(api.DELETE('/api/admin/businesses/{id}/let-through', request)))
    },
    onSuccess: (_, { isLet }) => {
      const { title, description } = isLet ? texts.clients.allowUnpaidDone : texts.clients.allowUnpaidUndone
      toast.success(title, description)
    },
    meta: { failure: texts.clients.allowUnpaidFailed, invalidates: [[...adminQueries.all(orgId), 'clients']] },
  })
}

/** Mails an invitation to register a business. */
export function useInviteBusiness() {
  return useMutation({
    mutationFn: (email: string) => unwrapWithResponse(api.POST('/api/admin/businesses/invite', { body: { email } })),
    onSuccess: ({ response }) => showMailToast(response.headers, texts.invite.done),
    meta: { failure: texts.invite.failed },
  })
}

/** Verifies the whole log, with the seal from a mail if given. */
export function useVerifyAuditLog() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (seal: string) =>
      unwrap(api.POST('/api/security/audit-log/verify', { body: seal === '' ? {} : { seal } })),
    meta: {
      failure: texts.audit.verifyFailed,
      invalidates: [adminQueries.status(orgId).queryKey, adminQueries.report(orgId).queryKey],
    },
  })
}
