// Decision behind a message: rule, reason, evidence.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schema } from '@/api/client'
import { MESSAGE_KINDS, describeDecisionChannel, evidenceLines, isStaffMessage } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { formatIdentifier } from '@/lib/format/identifier'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useSendBlocks } from '@/features/own-phone/use-send-blocks'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { describeMessageState } from '../lib/message-state'
import { useNow } from '@/lib/hooks/use-now'
import { inboxMessages } from '../messages'
import { inboxQueries } from '../queries'
import type { Message } from '../types'

type DecisionSheetProps = {
  open: boolean
  onClose: () => void
  /** The message asked about; without one, all that was decided. */ message: Message | null
  leadId: string | null
  timeZone: string
}

const MINUTE_MS = 60_000
const STOPPED = new Set(['not_sent', 'held', 'failed'])

export function DecisionSheet({ open, onClose, message, leadId, timeZone }: DecisionSheetProps) {
  const title = message
    ? STOPPED.has(message.status)
      ? t('Why was this not sent?')
      : t('Why was this sent?')
    : t('Why was something sent, or not?')
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="grid gap-4">
        {message && <MessageStatusLine message={message} timeZone={timeZone} />}
        {message?.channel === 'sms' && STOPPED.has(message.status) && <Undecided />}
        {leadId === null ? (
          !message && (
            <Undecided
              text={t('This conversation has no request for work, so no rule has decided anything about it.')}
            />
          )
        ) : (
          <Decisions leadId={leadId} message={message} timeZone={timeZone} />
        )}
        {message && (
          <Evidence
            evidence={message.saw ?? {}}
            title={t('What the last check before sending saw')}
            forStaff={isStaffMessage(message.kind)}
            timeZone={timeZone}
          />
        )}
      </div>
    </Dialog>
  )
}

/** Why no text leaves, where that is the reason; else the text. */
function Undecided({ text }: { text?: string }) {
  const textsOff = useTextsOffReason()
  if (textsOff) return <TextsOffLine why={textsOff} />
  return text === undefined ? null : <p className="text-muted">{text}</p>
}

/** Current state, author, and the evidence of the last check before sending. */
function MessageStatusLine({ message, timeZone }: { message: Message; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  const { tone, icon, text } = describeMessageState(message, timeZone, now, useSendBlocks())
  return (
    <section className="grid gap-2">
      <StatusLine tone={tone} icon={icon}>
        {text}
      </StatusLine>
      <p>{describeOrigin(message, timeZone)}</p>
    </section>
  )
}

function describeOrigin({ author, kind, createdAt, sentAt, deliveredAt }: Message, timeZone: string): string {
  const time = formatDateTime(createdAt, timeZone)
  const origin = author
    ? t('Written by {name}, {time}', { name: author.name, time })
    : t('{kind}, made by a rule on {time}', { kind: MESSAGE_KINDS[kind], time })
  const steps = [
    sentAt && t('sent {time}', { time: formatDateTime(sentAt, timeZone) }),
    deliveredAt && t('delivered {time}', { time: formatDateTime(deliveredAt, timeZone) }),
  ].filter(Boolean)
  return `${[origin, ...steps].join(', ')}.`
}

type EvidenceProps = { evidence: Record<string, unknown>; title: string; forStaff: boolean; timeZone: string }

function Evidence({ evidence, title, forStaff, timeZone }: EvidenceProps) {
  const lines = evidenceLines(evidence, timeZone, forStaff)
  if (lines.length === 0) return null
  return (
    <div>
      <h3 className="mb-1 text-note font-semibold text-muted">{title}</h3>
      <EvidenceList>
        {lines.map(({ name, label, value }) => (
          <EvidenceRow key={name} label={label}>
            {value}
          </EvidenceRow>
        ))}
      </EvidenceList>
    </div>
  )
}

function EvidenceList({ children }: { children: ReactNode }) {
  return <dl className="grid gap-1.5 rounded-field bg-base-200 p-3 text-note">{children}</dl>
}

function EvidenceRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <dt className="text-muted">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

function Decisions({ leadId, message, timeZone }: { leadId: string; message: Message | null; timeZone: string }) {
  const { orgId } = useCurrentUser()
  const decisions = useQuery(inboxQueries.decisions(orgId, leadId))
  return (
    <QueryBoundary query={decisions} errorText={inboxMessages.whyFailed} timeZone={timeZone}>
      {(all) => (
        <DecisionList
          decisions={message ? all.filter(({ messageId }) => messageId === message.id) : all}
          message={message}
          timeZone={timeZone}
        />
      )}
    </QueryBoundary>
  )
}

function DecisionChannel({ decision }: { decision: Schema['Decision'] }) {
  const channel = describeDecisionChannel(decision)
  return channel ? `${channel}: ` : null
}

function DecisionList({
  decisions,
  message,
  timeZone,
}: {
  decisions: readonly Schema['Decision'][]
  message: Message | null
  timeZone: string
}) {
  if (decisions.length === 0)
    return message ? null : <Undecided text={t('No rule has decided anything about this customer yet.')} />
  return (
    <ul className="grid gap-4">
      {decisions.map((decision) => (
        <li key={decision.id} className="border-t border-primary/15 pt-3 first:border-0 first:pt-0">
          {!message && (
            <StatusLine tone={decision.sent ? 'success' : 'warning'} icon={decision.sent ? 'send' : 'close'}>
              <DecisionChannel decision={decision} />
              {decision.sent ? t('decided to send') : t('decided not to send')}
            </StatusLine>
          )}
          <p className="mt-1 first-letter:uppercase">{decision.reason}</p>
          <p className="text-note text-muted">
            {t('Rule: {rule}, {time}', {
              rule: formatIdentifier(decision.rule),
              time: formatDateTime(decision.at, timeZone),
            })}
          </p>
          <Disclosure summary={t('What the rule saw')}>
            <EvidenceList>
              {evidenceLines(decision.saw, timeZone).map(({ name, label, value }) => (
                <EvidenceRow key={name} label={label}>
                  {value}
                </EvidenceRow>
              ))}
            </EvidenceList>
          </Disclosure>
        </li>
      ))}
    </ul>
  )
}
