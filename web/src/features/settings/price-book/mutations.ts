import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { pricesKey } from '@/domain/query-keys'
import type { PriceItem } from '@/features/documents/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { priceBookMessages as texts } from './messages'
import type { toPriceItem } from './schema'

export type PriceItemRequest = ReturnType<typeof toPriceItem>
export type PriceRow = Schema['PriceRow']
export type PriceImport = Schema['PriceImport']

const relatedKeys = (orgId: string) => [pricesKey(orgId)] as const

export function useAddPrice() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: PriceItemRequest) => unwrap(api.POST('/api/price-items', { body })),
    meta: { success: texts.added, failure: texts.failed, invalidates: relatedKeys(orgId) },
  })
}

export function useUpdatePrice() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: PriceItemRequest }) =>
      unwrap(api.PATCH('/api/price-items/{id}', { params: { path: { id } }, body })),
    meta: { success: texts.saved, failure: texts.failed, invalidates: relatedKeys(orgId) },
  })
}

/** Offers an item again that was set aside. */
export function useRestorePrice() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: ({ id }: Pick<PriceItem, 'id'>) =>
      unwrap(api.PATCH('/api/price-items/{id}', { params: { path: { id } }, body: { isActive: true } })),
    meta: { success: texts.broughtBack, failure: texts.changeFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Archives an item, with undo. */
export function useArchivePrice() {
  const { orgId } = useCurrentUser()
  const { mutate: bringBack } = useRestorePrice()
  return useMutation({
    mutationFn: ({ id }: Pick<PriceItem, 'id' | 'name'>) =>
      unwrap(api.DELETE('/api/price-items/{id}', { params: { path: { id } } })),
    onSuccess: (_gone, { id, name }) => {
      toast.show(texts.setAside, { description: name, action: { label: t('Undo'), onAction: () => bringBack({ id }) } })
    },
    meta: { failure: texts.changeFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Sends the file as it is, whatever letters it is written in: the server finds out. */
function postImport(file: File, dryRun: boolean): Promise<PriceImport> {
  const init = {
    params: { query: { dryRun: dryRun ? 'true' : 'false' } },
    body: '',
    bodySerializer: () => file,
    headers: { 'Content-Type': 'text/csv' },
  } as const
  return unwrap(api.POST('/api/price-items/import', init))
}

/** Preview of an import; nothing is stored. Errors of the whole file are shown in the dialog. */
export function usePreviewPriceImport() {
  return useMutation({ mutationFn: (file: File) => postImport(file, true), meta: { failure: false } })
}

/** Takes a price list over. */
export function useImportPrices() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (file: File) => postImport(file, false),
    onSuccess: ({ added, changed }) => {
      toast.success(t('Price list imported'), t('{added} added, {changed} changed.', { added, changed }))
    },
    meta: { failure: texts.importFailed, invalidates: relatedKeys(orgId) },
  })
}
