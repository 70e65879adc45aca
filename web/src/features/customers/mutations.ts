// Customer mutations: edit, places, merge, unmerge, erase.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { UNDO_MS } from '@/domain/job'
import { inboxKey, jobsKey, leadsKey, reviewsKey } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { createKey } from '@/lib/submission-key'
import type { CustomerEdit } from '@/offline/outbox/entry'
import { runOrQueue } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { erasureKeys, useCancelErasure } from '@/features/erasure/use-cancel-erasure'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { customersMessages as texts } from './messages'
import { customerQueries } from './queries'
import type { Customer, Property, PropertyChange } from './types'

/** Everything that names a customer: their leads, jobs and conversation say what the record says. */
const relatedKeys = (orgId: string) =>
  [customerQueries.all(orgId), leadsKey(orgId), jobsKey(orgId), inboxKey(orgId)] as const

type NamedCustomer = Pick<Customer, 'id' | 'name'>

function cacheCustomer(client: QueryClient, orgId: string, customer: Customer): void {
  client.setQueryData(customerQueries.detail(orgId, customer.id).queryKey, customer)
}

/** Undefined once it waits for a connection. */
const changeCustomer = ({ id, name }: NamedCustomer, change: CustomerEdit) =>
  runOrQueue(() => unwrap(api.PATCH('/api/customers/{id}', { params: { path: { id } }, body: change })), {
    jobId: id,
    jobName: name,
    command: { kind: 'customer', change },
  })

/** Without a connection the change is queued. */
export function useEditCustomer(edited: NamedCustomer) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: CustomerEdit) => changeCustomer(edited, change),
    onSuccess: (customer) => {
      if (!customer) return showQueuedToast()
      cacheCustomer(client, orgId, customer)
      toast.success(texts.edit.success.title, texts.edit.success.description)
    },
    meta: { failure: texts.edit.failure, invalidates: relatedKeys(orgId) },
  })
}

type CustomerMarks = { isStaff: boolean } | { hasComplaint: boolean }

function marksToastText(marks: CustomerMarks) {
  if ('isStaff' in marks) return marks.isStaff ? texts.mark.staff : texts.mark.notStaff
  return marks.hasComplaint ? texts.mark.problem : texts.mark.settled
}

/** Marks a customer as staff or with an open complaint: neither is asked for a review. Queued without a connection. */
export function useMarkCustomer(marked: NamedCustomer) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (marks: CustomerMarks) => changeCustomer(marked, marks),
    onSuccess: (customer, marks) => {
      if (!customer) return showQueuedToast()
      cacheCustomer(client, orgId, customer)
      const { title, description } = marksToastText(marks)
      toast.success(title, description)
    },
    meta: { failure: texts.mark.failure, invalidates: [...relatedKeys(orgId), reviewsKey(orgId)] },
  })
}

/** `key` makes one place of a request that arrives twice. */
function sendProperty(id: string, propertyId: string | undefined, body: PropertyChange, key: string) {
  return unwrap(
    propertyId === undefined
      ? api.POST('/api/customers/{id}/properties', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        })
      : api.PATCH('/api/customers/{id}/properties/{propertyId}', { params: { path: { id, propertyId } }, body }),
  )
}

/** Adds a place, or changes this one. Without a connection it is queued. */
export function useSaveProperty({ id, name }: NamedCustomer, place: Pick<Property, 'id' | 'address'> | undefined) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (change: PropertyChange) => {
      const key = createKey()
      const propertyId = place?.id
      return runOrQueue(() => sendProperty(id, propertyId, change, key), {
        jobId: id,
        jobName: name,
        command: {
          kind: 'property',
          ...(propertyId === undefined ? {} : { propertyId }),
          address: place?.address ?? change.address ?? '',
          change,
        },
        key,
      })
    },
    onSuccess: (saved) => {
      if (!saved) return showQueuedToast()
      const { title, description } = place === undefined ? texts.place.added : texts.place.saved
      toast.success(title, description)
    },
    meta: {
      failure: texts.place.failure,
      invalidates: [customerQueries.detail(orgId, id).queryKey],
    },
  })
}

/** Puts back an address that was removed by a slip: to the server the same place, with the jobs done there. */
export function useRemoveProperty(customer: NamedCustomer) {
  const { id } = customer
  const { orgId } = useCurrentUser()
  const { mutate: putBack } = useSaveProperty(customer, undefined)
  return useMutation({
    mutationFn: ({ id: propertyId }: Property) =>
      unwrap(api.DELETE('/api/customers/{id}/properties/{propertyId}', { params: { path: { id, propertyId } } })),
    onSuccess: (_nothing, { label = null, address, zip = null, notes = null }) => {
      toast.show(texts.place.removed.title, {
        description: `${address}. ${texts.place.removed.description}`,
        durationMs: UNDO_MS,
        action: { label: t('Undo'), onAction: () => putBack({ label, address, zip, notes }) },
      })
    },
    meta: { failure: texts.place.failure, invalidates: [customerQueries.detail(orgId, id).queryKey, jobsKey(orgId)] },
  })
}

/** Makes two records one; answers with the one that stays. */
export function useMergeCustomers(id: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (otherId: string) =>
      unwrap(api.POST('/api/customers/{id}/merge', { params: { path: { id } }, body: { otherId } })),
    onSuccess: (customer) => {
      cacheCustomer(client, orgId, customer)
      toast.success(
        texts.merge.success,
        t('Everything is with {name}. You can separate them for 30 days.', { name: customer.name }),
      )
    },
    meta: { failure: texts.merge.failure, invalidates: relatedKeys(orgId) },
  })
}

/** Parts two records again. */
export function useUnmergeCustomers() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mergeId: string) =>
      unwrap(api.POST('/api/customers/merges/{mergeId}/undo', { params: { path: { mergeId } } })),
    onSuccess: (customer) => cacheCustomer(client, orgId, customer),
    meta: { success: texts.merge.parted, failure: texts.merge.partFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Asks for the erasure of a customer; the name is typed as a proof that this one is meant. */
export function useEraseCustomer(id: string) {
  const { orgId } = useCurrentUser()
  const { mutate: keep } = useCancelErasure(id)
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(api.POST('/api/customers/{id}/erasure', { params: { path: { id } }, body: { name } })),
    onSuccess: () => {
      toast.show(texts.privacy.asked.title, {
        description: texts.privacy.asked.description,
        durationMs: UNDO_MS,
        action: { label: t('Undo'), onAction: () => keep() },
      })
    },
    meta: {
      failure: texts.privacy.askFailed,
      invalidates: erasureKeys(orgId),
    },
  })
}

/** Downloads a copy of all that is kept about a customer. */
export function useExportPersonalData(id: string) {
  return useMutation({
    mutationFn: async () => {
      const request = { params: { path: { id } }, parseAs: 'blob' } as const
      const { data, response } = await unwrapWithResponse(api.GET('/api/customers/{id}/personal-data/export', request))
      saveFile(data, getAttachmentName(response, 'customer.zip'))
    },
    meta: { success: texts.privacy.copied, failure: texts.privacy.copyFailed },
  })
}
