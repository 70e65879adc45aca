import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { leadsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { customerImportMessages as texts } from './messages'
import { customerQueries } from './queries'
import type { CustomerImport } from './types'

const relatedKeys = (orgId: string) => [customerQueries.all(orgId), leadsKey(orgId)] as const

/** Sends the file as it is, whatever letters it is written in: the server finds out. */
function postImport(file: File, dryRun: boolean): Promise<CustomerImport> {
  const init = {
    params: { query: { dryRun: dryRun ? 'true' : 'false' } },
    body: '',
    bodySerializer: () => file,
    headers: { 'Content-Type': 'text/csv' },
  } as const
  return unwrap(api.POST('/api/customers/import', init))
}

/** Preview of an import; nothing is stored. Errors of the whole file are shown in the dialog. */
export function usePreviewCustomerImport() {
  return useMutation({ mutationFn: (file: File) => postImport(file, true), meta: { failure: false } })
}

/** Undoes an import: removes its customers, except those with later activity. */
export function useUndoImport() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (importId: string) =>
      unwrap(api.POST('/api/customers/imports/{importId}/undo', { params: { path: { importId } } })),
    onSuccess: ({ removed, kept }) => {
      toast.success(
        texts.undone,
        kept > 0
          ? t('{removed} removed. {kept} stay, because something has come of them.', { removed, kept })
          : t('{removed} removed.', { removed }),
      )
    },
    meta: { failure: texts.undoFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Takes a list over, with a way back. */
export function useImportCustomers() {
  const { orgId } = useCurrentUser()
  const { mutate: undo } = useUndoImport()
  return useMutation({
    mutationFn: (file: File) => postImport(file, false),
    onSuccess: ({ id, added, leads, updated }) => {
      const taken =
        leads > 0 ? t('{added} added, {leads} with a request.', { added, leads }) : t('{added} added.', { added })
      const description = updated > 0 ? `${taken} ${t('{count} confirmed.', { count: updated })}` : taken
      toast.show(texts.done, { description, ...(id ? { action: { label: t('Undo'), onAction: () => undo(id) } } : {}) })
    },
    meta: { failure: texts.failed, invalidates: relatedKeys(orgId) },
  })
}
