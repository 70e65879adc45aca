import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { isSendingNow, type DeliveryOutlook, describeHeldDelivery } from '@/domain/delivery-outlook'
import { formatPhone } from '@/lib/format/phone'
import { sessionQueries } from '@/features/session/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { settingsMessages as texts } from './messages'
import { settingsQueries } from './queries'
import type { OrganizationPatch, Recipients, SettingsPatch } from './types'

/** Saves the business info; its name and zone stand in the session too. The form reports success, with Undo. */
export function useSaveOrganization() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: OrganizationPatch) =>
      unwrap(api.PATCH('/api/org/{orgId}', { params: { path: { orgId } }, body })),
    // What the answer does not say, the room that files take, stays as it was.
    onSuccess: (saved) =>
      client.setQueryData(
        settingsQueries.organization(orgId).queryKey,
        (known) => known && { ...saved, storage: known.storage },
      ),
    meta: { failure: texts.saveFailed, invalidates: [sessionQueries.me().queryKey] },
  })
}

/** Saves a part of the settings; the rest stays as it is. The caller reports success, with Undo. */
export function useSaveSettings() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SettingsPatch) =>
      unwrap(api.PATCH('/api/org/{orgId}/settings', { params: { path: { orgId } }, body })),
    onSuccess: (saved) => client.setQueryData(settingsQueries.settings(orgId).queryKey, saved),
    meta: { failure: texts.saveFailed, invalidates: [settingsQueries.pulse(orgId).queryKey] },
  })
}

function cacheRecipients(client: QueryClient, orgId: string, recipients: Recipients): void {
  client.setQueryData(settingsQueries.settings(orgId).queryKey, (known) => known && { ...known, recipients })
}

export type NewRecipient = { email: string } | { phone: string }

/** Adds one address or number. The field itself says what the server does not take. */
export function useAddRecipient() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewRecipient) =>
      unwrap(api.POST('/api/org/{orgId}/recipients', { params: { path: { orgId } }, body })),
    onSuccess: (recipients) => cacheRecipients(client, orgId, recipients),
    meta: { failure: false },
  })
}

/** Removes one from the list, with undo. */
export function useRemoveRecipient() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const add = useAddRecipient()
  return useMutation({
    mutationFn: ({ id }: { id: string; shown: string; request: NewRecipient }) =>
      unwrap(api.DELETE('/api/org/{orgId}/recipients/{id}', { params: { path: { orgId, id } } })),
    onSuccess: (recipients, { shown, request: again }) => {
      cacheRecipients(client, orgId, recipients)
      toast.show(texts.recipientRemoved, {
        description: shown,
        action: { label: t('Undo'), onAction: () => add.mutate(again) },
      })
    },
    meta: { failure: texts.recipientFailed },
  })
}

/** A test that waits is not called sent. */
function showTestToast(sent: string, shown: string, outlook: DeliveryOutlook) {
  if (isSendingNow(outlook)) toast.success(sent, t('On its way to {shown}', { shown }))
  else
    toast.show(texts.testWaits, {
      description: t('To {shown}. {state}', { shown, state: describeHeldDelivery(outlook) }),
    })
}

/** Sends a test to one saved recipient. */
export function useTestRecipient(channel: 'email' | 'sms') {
  const { orgId } = useCurrentUser()
  const { success, failure } = channel === 'email' ? texts.testEmail : texts.testSms
  return useMutation({
    mutationFn: ({ id }: { id: string; shown: string }) =>
      unwrap(api.POST('/api/org/{orgId}/recipients/{id}/test', { params: { path: { orgId, id } } })),
    onSuccess: ({ outlook }, { shown }) => showTestToast(success.title, shown, outlook),
    meta: { failure },
  })
}

/** Sends a test email to the signed-in person. */
export function useSendTestEmail() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/test/email')),
    onSuccess: ({ to, outlook }) => showTestToast(texts.testEmail.success.title, to, outlook),
    meta: { failure: texts.testEmail.failure },
  })
}

/** Sends the report of the figures at once, to the saved recipients, else to the signed-in person. */
export function useSendPulse() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (key: string) =>
      unwrap(
        api.POST('/api/kpi-pulse', { params: { header: { 'Idempotency-Key': key } }, body: { period: 'manual' } }),
      ),
    onSuccess: ({ sentTo, notSent }) => {
      const left = sentTo.filter(({ outlook }) => isSendingNow(outlook)).length
      if (left > 0 && left === sentTo.length && notSent.length === 0)
        toast.success(texts.pulse.success.title, texts.pulse.success.description)
      else if (left > 0) toast.show(texts.pulse.partly.title, { description: texts.pulse.partly.hint })
      else toast.show(texts.pulse.waits, { description: texts.pulse.waitsHint })
    },
    meta: { failure: texts.pulse.failure, invalidates: [settingsQueries.pulse(orgId).queryKey] },
  })
}

/** Sends a test text to the first saved number, else to the organization's. */
export function useSendTestText() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/test/sms')),
    onSuccess: ({ to, outlook }) => showTestToast(texts.testSms.success.title, formatPhone(to), outlook),
    meta: { failure: texts.testSms.failure },
  })
}
