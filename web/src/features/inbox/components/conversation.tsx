// Conversation of the inbox and of the lead page.
import { ApiError } from '@/api/client'
import { classNames } from '@/lib/class-names'
import { ErasureNotice } from '@/features/erasure/erasure-notice'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { useMessageDraft } from '../lib/message-draft'
import { type OutgoingMessage, useMessageOutbox } from '../lib/message-outbox'
import { type ConversationState, useConversation } from '../lib/use-conversation'
import { inboxMessages } from '../messages'
import { useMarkRead } from '../mutations'
import type { ConversationPage } from '../types'
import { ManualTextSheet } from './manual-text-sheet'
import { Composer } from './composer'
import { ConversationHeader } from './conversation-header'
import { ConversationSkeleton } from './skeletons'
import { Timeline } from './timeline'

type ConversationProps = {
  customerId: string
  /** The lead whose page this is; in the inbox it is the conversation's own. */
  leadId?: string
  /** Where the list is, on a phone. */
  backTo?: string
  /** Fills its container; otherwise as high as its content, up to a limit. */
  fills?: boolean
}

function isNotFound(error: Error): boolean {
  return error instanceof ApiError && [400, 404, 422].includes(error.status)
}

export function Conversation({ customerId, leadId, backTo, fills = false }: ConversationProps) {
  const { orgTimezone } = useCurrentUser()
  const state = useConversation(customerId)
  if (state.query.error && isNotFound(state.query.error)) {
    return (
      <EmptyState icon="search" title={inboxMessages.notFoundTitle}>
        <p>{inboxMessages.notFound}</p>
      </EmptyState>
    )
  }
  return (
    <QueryBoundary
      query={state.query}
      skeleton={<ConversationSkeleton />}
      errorText={inboxMessages.conversationFailed}
      timeZone={orgTimezone}
    >
      {(conversation) => (
        <ConversationBody
          conversation={conversation}
          state={state}
          leadId={leadId ?? conversation.thread?.leadId ?? null}
          backTo={backTo ?? null}
          fills={fills}
          timeZone={orgTimezone}
        />
      )}
    </QueryBoundary>
  )
}

type TalkProps = {
  conversation: ConversationPage
  state: ConversationState
  leadId: string | null
  backTo: string | null
  fills: boolean
  timeZone: string
}

function ConversationBody({ conversation, state, leadId, backTo, fills, timeZone }: TalkProps) {
  const { customer, thread, canEmail, erasure } = conversation
  const [draft, changeDraft] = useMessageDraft(customer.id, {
    channel: !customer.phone && canEmail.ok ? 'email' : 'sms',
    body: '',
    subject: '',
  })
  const outbox = useMessageOutbox(customer)
  useMarkRead(customer.id, thread?.unread ?? 0)
  const takeBack = async (entry: OutgoingMessage) => {
    if (!(await outbox.undo(entry))) return
    const { channel, body, subject } = entry.request
    changeDraft((now) => ({
      channel,
      subject: subject ?? '',
      body: now.body.trim() === '' ? body : `${body}\n${now.body}`,
    }))
  }
  return (
    <div className={classNames('flex min-h-0 flex-col', fills && 'flex-1')}>
      <ConversationHeader conversation={conversation} backTo={backTo} timeZone={timeZone} />
      {/* A lead's page says it at its top. */}
      {backTo !== null && (
        <div className="p-2 empty:hidden sm:px-3">
          <ErasureNotice customerId={customer.id} erasure={erasure} timeZone={timeZone} />
        </div>
      )}
      <Timeline
        state={state}
        conversation={conversation}
        outbox={outbox}
        onTakeBack={(entry) => void takeBack(entry)}
        timeZone={timeZone}
        className={fills ? 'min-h-0 flex-1' : 'max-h-[40dvh] lg:max-h-[60dvh]'}
      />
      {!erasure?.erasedAt && (
        <>
          <ManualTextSheet
            conversation={conversation}
            onSent={({ body, leadId: about }) =>
              void outbox.send({ channel: 'sms', body, byHand: true, ...(about ? { leadId: about } : {}) })
            }
          />
          <Composer
            conversation={conversation}
            leadId={leadId}
            draft={draft}
            onDraft={changeDraft}
            onSend={(message) => void outbox.send(message)}
            takesFocus={fills}
            timeZone={timeZone}
          />
        </>
      )}
    </div>
  )
}
