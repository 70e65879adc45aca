// Details of a work event as text.
import { serviceLabel, type WorkEvent } from '@/domain/lead'
import { PAYMENT_METHODS } from '@/domain/payment'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { capitalize, formatIdentifier } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
import { formatChannels } from './channel-text'

type Detail = WorkEvent['detail']

const nonEmptyText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const formatPositiveMoney = (value: unknown) =>
  typeof value === 'number' && value > 0 ? formatMoney(value) : undefined

/** A paper has its number as words, a job as a number. */
const formatDocumentNumber = ({ number }: Detail) => (typeof number === 'number' ? `#${number}` : nonEmptyText(number))

function describeMethod({ method }: Detail): string | undefined {
  const name = nonEmptyText(method)
  if (name === undefined || name === 'none') return undefined
  const label = name in PAYMENT_METHODS ? PAYMENT_METHODS[name as keyof typeof PAYMENT_METHODS] : formatIdentifier(name)
  return label.toLowerCase()
}

function describeUnsentBy(channel: string | undefined, reason: string): string {
  if (channel === 'email') return t('no email: {reason}', { reason })
  return channel === 'sms' ? t('no text: {reason}', { reason }) : t('no message: {reason}', { reason })
}

/** Why it did not go by a way that was wanted. */
function describeUnsent(detail: Detail): string[] {
  return asArray(detail['notSent']).flatMap((one) => {
    const { channel, reason } = one as { channel?: unknown; reason?: unknown }
    const why = nonEmptyText(reason)
    return why === undefined ? [] : [describeUnsentBy(nonEmptyText(channel), why)]
  })
}

function describeChannels(detail: Detail): string | undefined {
  if (detail['ownPhone'] === true) return t('sent from your own phone')
  const channels = formatChannels(asArray(detail['channels']).flatMap((channel) => nonEmptyText(channel) ?? []))
  return channels === '' ? undefined : t('by {channels}', { channels })
}

/** A way by which it is on its way while another one has left already. */
function describeSending(detail: Detail): string | undefined {
  const channels = formatChannels(asArray(detail['leaving']).flatMap((channel) => nonEmptyText(channel) ?? []))
  return channels === '' ? undefined : t('{channels} is being sent', { channels })
}

/** A way by which it has not been taken up: sending may be stopped. */
function describeHeld(detail: Detail): string | undefined {
  const channels = formatChannels(asArray(detail['waiting']).flatMap((channel) => nonEmptyText(channel) ?? []))
  return channels === '' ? undefined : t('{channels} waiting to be sent', { channels })
}

function describeWriteOff(detail: Detail): string | undefined {
  const amount = formatPositiveMoney(detail['writtenOff'])
  return amount === undefined ? undefined : t('{amount} written off', { amount })
}

/** Empty where there is nothing more to say. */
export function describeWorkEvent({ kind, detail }: Pick<WorkEvent, 'kind' | 'detail'>, timeZone: string): string {
  const why = nonEmptyText(detail['reason']) ?? nonEmptyText(detail['question'])
  // The title names both stages; a rule's cause says nothing that the event beside it does not.
  if (kind === 'stage_changed') return capitalize(why ?? '')
  const [startsAt, service] = [nonEmptyText(detail['startsAt']), nonEmptyText(detail['service'])]
  const parts = [
    formatDocumentNumber(detail),
    service && serviceLabel(service),
    formatPositiveMoney(detail['amount'] ?? detail['total']),
    describeMethod(detail),
    describeWriteOff(detail),
    startsAt && formatDateTime(startsAt, timeZone),
    nonEmptyText(detail['crew']),
    nonEmptyText(detail['label']),
    describeChannels(detail),
    describeSending(detail),
    describeHeld(detail),
    ...describeUnsent(detail),
    why,
  ]
  return capitalize(parts.filter((part) => part !== undefined && part !== '').join(', '))
}
