// What the inbox reads and writes, by the names of the API.
import type { Schema } from '@/api/client'
import type { MessageChannel, MessageKind, MessageStatus } from '@/domain/message'

export type Person = { id: string; name: string }
export type OptOutState = 'stopped' | 'paused'
export type Language = 'en' | 'es'

export type Thread = {
  customerId: string
  name: string
  phone: string | null
  phoneShown: string | null
  email: string | null
  leadId: string | null
  leadReference: string | null
  lastAt: string
  lastPreview: string
  lastKind: string
  waitingSince: string | null
  unread: number
  assignedTo: Person | null
  snoozedUntil: string | null
  isClosed: boolean
  optedOut: OptOutState | null
}

export type ThreadFilter = 'open' | 'unread' | 'mine' | 'snoozed' | 'closed'

export type Message = Omit<Schema['Message'], 'kind' | 'status'> & {
  customerId?: string | null
  direction: 'in' | 'out'
  kind: MessageKind
  status: MessageStatus
  class: 'conversational' | 'informational' | 'promotional'
  from?: string | null
  author?: Person | null
  heldUntil?: string | null
  cancellable: boolean
  segments?: number | null
  saw?: Record<string, unknown> | null
}

export type MessagePhoto = { id: string; url: string; thumbUrl: string }
export type Call = { id: string; status: string; startedAt: string; endedAt?: string | null; statusText: string }

export type MessageItem = { type: 'message'; at: string; message: Message; photos: MessagePhoto[] }
export type CallItem = { type: 'call'; at: string; call: Call }
export type TouchItem = { type: 'touch'; at: string; form: Schema['LeadFormKind']; service: string; leadId: string }
export type ConversationItem = MessageItem | CallItem | TouchItem

export type Customer = {
  id: string
  name: string
  phone: string | null
  phoneShown: string | null
  email: string | null
  language: Language | null
  isStaff: boolean
  isBlocked: boolean
  noSmsSince: string | null
  smsOptOut: { state: OptOutState; since: string; matched: string | null } | null
  leads: { id: string; reference: string; service: string; stage: Schema['LeadStage']; createdAt: string }[]
}

export type CanWrite = { ok: boolean; why: string | null; smsLink: string | null }
export type ConversationPage = { customer: Customer; thread: Thread | null; items: ConversationItem[]; canText: CanWrite; canEmail: CanWrite }

export type NewMessage = { channel: MessageChannel; body: string; subject?: string; sendAt?: string; leadId?: string; byHand?: true }
export type ThreadChange = {
  assignedTo?: string | null
  snoozedUntil?: string | null
  isClosed?: boolean
  isBlocked?: boolean
  isStaff?: boolean
  language?: Language | null
}
export type CannedReply = { id: string; title: string; body: string }
export type TeamMember = Person & { role: Schema['Role'] }

type Json<T> = { content: { 'application/json': T } }
type Empty = { content?: never }
type ById = { path: { id: string } }

/** The routes of the inbox, as the generated schema will name them. */
export type InboxPaths = {
  '/api/inbox': { get: { parameters: { query?: { filter?: ThreadFilter; q?: string; limit?: number; cursor?: string } }; responses: { 200: Json<Thread[]> } } }
  '/api/customers/{id}/conversation': { get: { parameters: ById & { query?: { before?: string } }; responses: { 200: Json<ConversationPage> } } }
  '/api/customers/{id}/messages': {
    post: { parameters: ById & { header?: { 'Idempotency-Key'?: string } }; requestBody: Json<NewMessage>; responses: { 201: Json<Message> } }
  }
  '/api/messages/{id}': { delete: { parameters: ById; responses: { 200: Json<Message> } } }
  '/api/messages/{id}/retry': { post: { parameters: ById; responses: { 202: Json<Message> } } }
  '/api/customers/{id}/read': { post: { parameters: ById; responses: { 204: Empty } } }
  '/api/customers/{id}/thread': { patch: { parameters: ById; requestBody: Json<ThreadChange>; responses: { 200: Json<Thread> } } }
  '/api/customers/{id}/opt-out': { post: { parameters: ById; requestBody: Json<{ state: 'stopped' | 'lifted' }>; responses: { 200: Json<{ state: string }> } } }
  '/api/canned-replies': {
    get: { parameters: { query?: never }; responses: { 200: Json<CannedReply[]> } }
    post: { parameters: { query?: never }; requestBody: Json<{ title: string; body: string }>; responses: { 201: Json<CannedReply> } }
  }
  '/api/canned-replies/{id}': { delete: { parameters: ById; responses: { 204: Empty } } }
  '/api/team': { get: { parameters: { query?: never }; responses: { 200: Json<TeamMember[]> } } }
}
