// API object builders: `buildLead({ name: 'Ana' })`.
import type { CurrentUser, ErrorCode, Schema } from '@/api/client'

let count = 0

export function buildId(): string {
  count += 1
  return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`
}

export function buildUser(parts: Partial<CurrentUser> = {}): CurrentUser {
  return {
    id: buildId(),
    name: 'Olivia Owner',
    email: 'olivia@acme.test',
    role: 'owner',
    orgId: buildId(),
    orgSlug: 'acme-plumbing',
    orgName: 'Acme Plumbing',
    orgTimezone: 'America/Chicago',
    isPlatformAdmin: false,
    twoFactorEnabled: false,
    language: null,
    isEmailProven: true,
    isDemo: false,
    ...parts,
  }
}

export function buildFormContext(parts: Partial<Schema['FormContext']> = {}): Schema['FormContext'] {
  return {
    orgId: buildId(),
    orgSlug: 'acme-plumbing',
    orgName: 'Acme Plumbing',
    orgPhone: '+13125550142',
    isEmailUnconfirmed: false,
    hasSender: true,
    formToken: 'token-1',
    consentVersion: '1',
    consentText: 'By submitting, you agree to receive communications about your request. Reply STOP to opt out.',
    marketingText: 'Acme Plumbing may also text me offers and review requests.',
    quoteHours: 24,
    rating: null,
    bookingUrl: null,
    look: { logoUrl: null, colors: null, showsPoweredBy: true },
    ...parts,
  }
}

export function buildLead(parts: Partial<Schema['LeadSummary']> = {}): Schema['LeadSummary'] {
  const id = parts.id ?? buildId()
  return {
    id,
    reference: id.slice(0, 8),
    name: 'Carla Customer',
    phone: '(312) 555-0199',
    phoneE164: '+13125550199',
    email: 'carla@home.test',
    service: 'plumbing',
    zip: '60601',
    notes: 'The kitchen tap drips.',
    source: 'Website',
    stage: 'New',
    quotedTotal: null,
    collectedAmount: null,
    scheduledAt: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    lastTouchAt: '2026-11-20T15:04:05.000Z',
    paidAt: null,
    ownerUserId: null,
    form: 'lead',
    photosUrl: [],
    touchCount: 1,
    missedCalls: 0,
    heldReason: null,
    needsAttention: false,
    ...parts,
  }
}

export function buildAttribution(parts: Partial<Schema['Attribution']> = {}): Schema['Attribution'] {
  return {
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
    gclid: null,
    referrer: null,
    landingPage: null,
    ...parts,
  }
}

export function buildMessage(parts: Partial<Schema['Message']> = {}): Schema['Message'] {
  return {
    id: buildId(),
    leadId: buildId(),
    customerId: null,
    direction: 'out',
    class: 'conversational',
    from: null,
    author: null,
    segments: null,
    heldUntil: null,
    saw: null,
    cancellable: false,
    byHand: false,
    channel: 'email',
    kind: 'auto_reply',
    to: 'carla@home.test',
    subject: 'We got your request',
    body: 'Thank you!',
    status: 'sent',
    statusText: 'sent',
    attempts: 1,
    createdAt: '2026-11-20T15:04:05.000Z',
    sentAt: '2026-11-20T15:04:06.000Z',
    deliveredAt: null,
    nextAttemptAt: null,
    retryable: false,
    ...parts,
  }
}

export function buildDecision(
  parts: Partial<Schema['Decision']> = {},
  evidence: Record<string, unknown> = {},
): Schema['Decision'] {
  return {
    id: buildId(),
    at: '2026-11-20T15:04:05.000Z',
    rule: 'lead_created',
    event: 'lead.created',
    channel: 'email',
    sent: true,
    reason: 'A new lead',
    messageId: null,
    saw: evidence,
    ...parts,
  }
}

export function buildLeadDetail(parts: Partial<Schema['LeadDetail']> = {}): Schema['LeadDetail'] {
  return {
    ...buildLead(parts),
    customerId: buildId(),
    address: null,
    otherPhones: [],
    otherSetAside: [],
    alsoGave: [],
    duplicates: [],
    timelinePreference: null,
    budgetRange: null,
    ownerName: null,
    photos: [],
    photosWaiting: 0,
    messages: [],
    touches: [],
    decisions: [],
    events: [],
    attribution: buildAttribution(),
    ...parts,
  }
}

export function buildAlert(parts: Partial<Schema['Alert']> = {}): Schema['Alert'] {
  return {
    id: buildId(),
    leadId: buildId(),
    kind: 'text_received',
    title: 'Text from Ana',
    body: 'Can you come today?',
    isUrgent: false,
    createdAt: '2026-11-20T15:04:05.000Z',
    seenAt: null,
    climbsAt: null,
    step: 0,
    ...parts,
  }
}

export function buildProblem(
  status: number,
  code: ErrorCode,
  parts: Partial<Schema['Problem']> = {},
): Schema['Problem'] {
  return { type: `/problems/${code}`, title: code, status, detail: code, code, requestId: 'req-1', ...parts }
}

export function buildThread(parts: Partial<Schema['Thread']> = {}): Schema['Thread'] {
  return {
    customerId: buildId(),
    name: 'Carla Customer',
    phone: '+13125550199',
    phoneShown: '(312) 555-0199',
    email: 'carla@home.test',
    leadId: null,
    leadReference: null,
    lastAt: '2026-11-20T15:04:05.000Z',
    lastPreview: 'Can you come today?',
    lastKind: 'in',
    waitingSince: null,
    unread: 0,
    assignedTo: null,
    snoozedUntil: null,
    isClosed: false,
    optedOut: null,
    ...parts,
  }
}

export function buildText(parts: Partial<Schema['Message']> = {}): Schema['Message'] {
  return buildMessage({
    channel: 'sms',
    kind: 'manual',
    leadId: null,
    to: '+13125550199',
    subject: null,
    body: 'Hello!',
    segments: 1,
    ...parts,
  })
}

export const canWrite = { ok: true, why: null, smsLink: null } satisfies Schema['CanWrite']

type ConversationParts = Omit<Partial<Schema['Conversation']>, 'customer'> & {
  customer?: Partial<Schema['CustomerCard']>
}

export function buildConversation({ customer, ...parts }: ConversationParts = {}): Schema['Conversation'] {
  const thread = parts.thread ?? buildThread(customer?.id ? { customerId: customer.id } : {})
  return {
    customer: {
      id: thread.customerId,
      name: thread.name,
      phone: thread.phone ?? null,
      phoneShown: thread.phoneShown ?? null,
      email: thread.email ?? null,
      language: null,
      isStaff: false,
      isBlocked: false,
      noSmsSince: null,
      smsOptOut: null,
      otherNumbers: [],
      setAside: [],
      leads: [],
      ...customer,
    },
    thread,
    items: [],
    canText: canWrite,
    canEmail: canWrite,
    ...parts,
  }
}
