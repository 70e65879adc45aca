import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { describeResend, resendMessage } from '@/api/resend-message'
import { inboxKey, worklistKey } from '@/domain/query-keys'
import { type ExportFormat, getAttachmentName, saveFile } from '@/lib/download'
import type { TeamMember } from '@/offline/outbox/entry'
import { runOrQueue } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from './messages'
import { type LeadNarrowing, leadQueries } from './queries'

type Alert = Schema['Alert']

async function exportLeads(format: ExportFormat, q: string, narrowing: LeadNarrowing): Promise<void> {
  const query = { format, ...(q === '' ? {} : { q }), ...narrowing }
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/leads/export', { params: { query }, parseAs: 'blob' }),
  )
  saveFile(data, getAttachmentName(response, `leads.${format}`))
}

/** Downloads the leads, those of the search and of the figure or the filters where there are any. */
export function useExportLeads(format: ExportFormat, q: string, narrowing: LeadNarrowing) {
  return useMutation({
    mutationFn: () => exportLeads(format, q, narrowing),
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
    meta: {
      ...leadsMessages.release,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, id).queryKey, inboxKey(orgId)],
    },
  })
}

/** Holds a lead again that was just released; stops its replies. */
export function useHoldLead(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/leads/{id}/hold', { params: { path: { id } } })),
    meta: {
      ...leadsMessages.hold,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, id).queryKey, inboxKey(orgId)],
    },
  })
}

/** Records an answer outside of Toolbox, or that no answer is wanted. */
export function useMarkAnswered(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (how: Schema['AnsweredHow']) =>
      unwrap(api.POST('/api/leads/{id}/answered', { params: { path: { id } }, body: { how } })),
    meta: {
      ...leadsMessages.answered,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, id).queryKey],
    },
  })
}

/** Assigns the lead to a member, or to no one. Without a connection it is queued. */
export function useAssignLead({ id, name }: { id: string; name: string }) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (to: TeamMember | null) => {
      const body = { ownerUserId: to?.id ?? null }
      return runOrQueue(() => unwrap(api.PUT('/api/leads/{id}/owner', { params: { path: { id } }, body })), {
        jobId: id,
        jobName: name,
        command: { kind: 'lead_owner', to },
      })
    },
    onSuccess: (lead) => {
      if (!lead) showQueuedToast()
    },
    meta: {
      failure: leadsMessages.owner,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, id).queryKey],
    },
  })
}

/** Sends a message once more because a person says so. */
export function useResendLeadMessage(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: resendMessage,
    onSuccess: (result) => {
      const { success: leaves, heldTitle } = leadsMessages.retry
      const text = describeResend(result, { leaves, heldTitle })
      if (text) toast.show(text.title, { description: text.description, ...(text.isHeld ? { variant: 'info' } : {}) })
    },
    meta: {
      failure: leadsMessages.retry.failure,
      invalidates: [leadQueries.lists(orgId), leadQueries.detail(orgId, leadId).queryKey],
    },
  })
}

/** Marks an alert as seen, which ends its escalation. `isUnasked` without an explicit action. */
export function useMarkAlertSeen({ isUnasked = false } = {}) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/alerts/{id}/seen', { params: { path: { id } } })),
    meta: { failure: leadsMessages.alerts.failure, isUnasked, invalidates: [leadQueries.alerts(orgId)] },
  })
}

/** Marks alerts as seen together, which ends their escalation. */
export function useMarkAlertsSeen() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (ids: readonly string[]) => unwrap(api.POST('/api/alerts/seen', { body: { ids: [...ids] } })),
    meta: {
      success: leadsMessages.alerts.allSeen,
      failure: leadsMessages.alerts.notSeen,
      invalidates: [leadQueries.alerts(orgId), worklistKey(orgId)],
    },
  })
}

/** What only a person does to a page. */
const USER_ACTIVITY_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/** A pointer that rests is moved over by whatever appears below it. */
const isIdlePointerMove = (event: Event) =>
  event.type === 'pointermove' && event instanceof PointerEvent && event.movementX === 0 && event.movementY === 0

/**
 * Opening a lead marks its alerts as seen. Alerts that arrive while it is open are marked only with an active user:
 * an unattended screen must not stop the escalation of an alert.
 */
export function useMarkLeadAlertsSeen(leadId: string): void {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(leadQueries.alertList(orgId))
  const { mutate } = useMarkAlertSeen({ isUnasked: true })
  const reportedIds = useRef(new Set<string>())
  const openedLead = useRef({ leadId, at: 0 })
  useEffect(() => {
    openedLead.current = { leadId, at: Date.now() }
  }, [leadId])
  useEffect(() => {
    const isOpen = (alert: Alert) => alert.leadId === leadId && !alert.seenAt && !reportedIds.current.has(alert.id)
    const see = (isSeen: (alert: Alert) => boolean) => {
      if (document.visibilityState === 'hidden') return
      for (const alert of (data ?? []).filter((one) => isOpen(one) && isSeen(one))) {
        reportedIds.current.add(alert.id)
        mutate(alert.id)
      }
    }
    see(({ createdAt }) => Date.parse(createdAt) <= openedLead.current.at)
    if (!data?.some(isOpen)) return
    const gone = new AbortController()
    const onSign = (event: Event) => {
      if (!isIdlePointerMove(event)) see(() => true)
    }
    for (const sign of USER_ACTIVITY_EVENTS)
      globalThis.addEventListener(sign, onSign, { passive: true, signal: gone.signal })
    // Somebody comes back to it.
    document.addEventListener('visibilitychange', onSign, { signal: gone.signal })
    return () => gone.abort()
  }, [data, leadId, mutate])
}
