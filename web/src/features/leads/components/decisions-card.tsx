// Decisions behind messages: rule, reason, evidence.
import type { Schema } from '@/api/client'
import { MESSAGE_STATUSES, describeDecisionChannel, evidenceLines, isStaffMessage } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { formatIdentifier } from '@/lib/format/identifier'
import { describeBlock, type SendBlocks } from '@/features/own-phone/send-blocks'
import { useSendBlocks } from '@/features/own-phone/use-send-blocks'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import { describeNotHeld } from '../lib/unbooked-visit'
import type { LeadDetail } from '../queries'

type Decision = Schema['Decision']
type Message = Schema['Message']

export function DecisionsCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  const { decisions, messages, heldVisit } = lead
  const notHeld = describeNotHeld(heldVisit)
  const textsOff = useTextsOffReason()
  return (
    <Card title={t('Why was this sent, why not?')} icon="shield">
      {decisions.length === 0 && (
        <p className="text-muted">{describeUndecided(messages, textsOff !== undefined, notHeld)}</p>
      )}
      {textsOff && !hasLeft(messages, 'sms') && (
        <TextsOffLine
          why={textsOff}
          fact={hasLeft(messages, 'email') ? t('An email was sent. No text was sent') : t('No text was sent')}
        />
      )}
      <ul className="-my-2 divide-y divide-primary/15">
        {decisions.map((decision) => (
          <DecisionItem
            key={decision.id}
            decision={decision}
            message={messages.find(({ id }) => id === decision.messageId)}
            timeZone={timeZone}
          />
        ))}
      </ul>
    </Card>
  )
}

function describeUndecided(messages: readonly Message[], isTextsOff: boolean, notHeld: string | undefined): string {
  if (messages.length > 0)
    return t('These messages belong to a booking or were written by a person. Each message shows its own status.')
  if (notHeld !== undefined) return t('Nothing was sent. {reason}', { reason: notHeld })
  return isTextsOff
    ? t('Nothing was sent about this lead.')
    : t('Nothing was sent, because no rule has decided anything about this lead yet.')
}

/** Whether the customer was sent something by this channel. */
function hasLeft(messages: readonly Message[], channel: Message['channel']): boolean {
  return messages.some(
    (message) => message.channel === channel && !isStaffMessage(message.kind) && typeof message.sentAt === 'string',
  )
}

/** A rule decides to send; whether it was sent is the message's word. */
function describeOutcome({ sent }: Decision, message: Message | undefined, blocks: SendBlocks) {
  if (!sent) return { tone: 'warning', icon: 'close', text: t('not sent') } as const
  return message
    ? { ...MESSAGE_STATUSES[message.status], text: describeBlock(message, blocks) ?? message.statusText }
    : ({ tone: 'info', icon: 'send', text: t('to be sent') } as const)
}

type DecisionItemProps = { decision: Decision; message: Message | undefined; timeZone: string }

function DecisionItem({ decision, message, timeZone }: DecisionItemProps) {
  const evidence = evidenceLines(decision.saw, timeZone)
  const channel = describeDecisionChannel(decision)
  const { tone, icon, text } = describeOutcome(decision, message, useSendBlocks())
  return (
    <li>
      <details className="group">
        <summary className="flex min-h-12 cursor-pointer list-none items-center gap-3 rounded-field py-2 [&::-webkit-details-marker]:hidden">
          <span className="min-w-0 flex-1">
            <StatusLine tone={tone} icon={icon}>
              {channel ? `${channel}: ` : ''}
              {text}
            </StatusLine>
            <span className="block text-note">{formatIdentifier(decision.reason)}</span>
          </span>
          <Icon
            name="chevron-down"
            className="text-primary transition-transform duration-[120ms] group-open:rotate-180"
          />
        </summary>
        <p className="pb-3 text-note text-muted">
          {t('Rule: {rule}, {at}', {
            rule: formatIdentifier(decision.rule),
            at: formatDateTime(decision.at, timeZone),
          })}
        </p>
        {evidence.length > 0 && (
          <dl aria-label={t('What it saw')} className="mb-3 grid gap-1.5 rounded-field bg-base-200 p-3 text-note">
            {evidence.map(({ name, label, value }) => (
              <div key={name} className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
                <dt className="text-muted">{label}</dt>
                <dd className="wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </details>
    </li>
  )
}
