// Words and buttons of the next step.
import type { Tone } from '@/domain/tone'
import { formatTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { telHref } from '@/lib/format/phone'
import { formatDayTime, formatDayTimeInSentence } from '@/lib/format/zone-time'
import { pgettext, plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import type { IconName } from '@/ui/icon'
import { describeResponsePromise, formatDueTime } from '../lib/response-promise'
import type { LeadDetail } from '../queries'
import { nextStepMessages as texts } from './messages'
import type { LeadStep } from './next-step'

/** Opened over the page, answered at once, asked of the page by its URL, or another address. */
export type StepTarget =
  | { opens: 'estimate' | 'reminder' | 'payment' | 'review' }
  | { marks: 'answered' | 'not_wanted' }
  | { asks: 'answer' | 'schedule' | 'invoice' }
  | { to: string }
  | { href: string }

export type StepButton = { label: string; icon: IconName; target: StepTarget }

export type StepWords = {
  title: string
  detail?: string | undefined
  tone: Tone
  icon: IconName
  /** None where nothing is left to do. */ main?: StepButton | undefined
  others: readonly StepButton[]
}

type Clock = { now: number; timeZone: string }
type Step<Kind extends LeadStep['kind']> = Extract<LeadStep, { kind: Kind }>

const SCHEDULE: StepButton = { label: pgettext('verb', 'Schedule'), icon: 'calendar', target: { asks: 'schedule' } }
const ESTIMATE: StepButton = { label: t('Send an estimate'), icon: 'document', target: { opens: 'estimate' } }
const REMIND: StepButton = { label: t('Remind them'), icon: 'bell', target: { opens: 'reminder' } }
const MARK_PAID: StepButton = { label: t('Mark as Paid'), icon: 'dollar', target: { opens: 'payment' } }
const REVIEW: StepButton = { label: t('Request Review'), icon: 'star', target: { opens: 'review' } }

const joinWords = (...parts: (string | false | null | undefined)[]) => parts.filter(Boolean).join(' ') || undefined

const depositButton = (amount: number): StepButton[] =>
  amount > 0 ? [{ ...MARK_PAID, label: t('Collect deposit {amount}', { amount: formatMoney(amount) }) }] : []

const depositLine = (amount: number) =>
  amount > 0 && t('A deposit of {amount} is due.', { amount: formatMoney(amount) })

const openJob = (jobId: string, query = ''): StepTarget => ({ to: `${paths.job(jobId)}${query}` })

/** A held lead has words of its own. */
export function describeStep(step: Exclude<LeadStep, Step<'held'>>, lead: LeadDetail, clock: Clock): StepWords {
  switch (step.kind) {
    case 'answer':
    case 'call_back':
      return describeAnswer(step, lead, clock)
    case 'send_estimate':
      return {
        title: step.isExpired ? texts.sendEstimate.expired : texts.sendEstimate.title,
        tone: 'accent',
        icon: 'document',
        main: ESTIMATE,
        others: [SCHEDULE],
      }
    case 'await_approval':
      return describeWait(step, clock)
    case 'schedule':
    case 'assign_crew':
    case 'visit':
    case 'in_progress':
      return describeWork(step, clock)
    case 'send_invoice':
    case 'collect':
      return describeBilling(step)
    case 'request_review':
      return { ...texts.review, tone: 'success', icon: 'check-circle', main: REVIEW, others: [] }
    case 'complete':
      return { ...texts.complete, tone: 'success', icon: 'check-circle', others: [] }
    case 'lost':
      return describeLost(step)
  }
}

function describeAnswer(
  { kind, promise }: Step<'answer' | 'call_back'>,
  lead: LeadDetail,
  { now, timeZone }: Clock,
): StepWords {
  const { isLate, tone } = describeResponsePromise(promise, now, timeZone)
  const words = kind === 'call_back' ? texts.callBack : texts.answer
  const phone = lead.phoneE164 ?? lead.phone
  const isCall = kind === 'call_back' && phone !== ''
  const due = formatDueTime(promise.dueAt, now, timeZone)
  return {
    title: isLate ? words.late : words.title,
    tone: tone === 'neutral' ? 'info' : tone,
    icon: isLate ? 'alert' : 'clock',
    main: {
      label: getAnswerLabel(isCall, isLate, due),
      icon: isCall ? 'phone' : 'message',
      target: isCall ? { href: telHref(phone) } : { asks: 'answer' },
    },
    others: [
      { label: t('Mark as answered'), icon: 'check', target: { marks: 'answered' } },
      { label: t('No reply needed'), icon: 'close', target: { marks: 'not_wanted' } },
    ],
  }
}

function getAnswerLabel(isCall: boolean, isLate: boolean, due: string): string {
  if (isLate) return isCall ? t('Call back now') : t('Answer now')
  return isCall ? t('Call back by {due}', { due }) : t('Answer by {due}', { due })
}

function describeWait(step: Step<'await_approval'>, { now, timeZone }: Clock): StepWords {
  const { number, total, since, isViewed, unsent } = step
  const paper = [number, total !== null && formatMoney(total)].filter(Boolean).join(', ')
  const words = texts.awaitApproval
  return {
    title: unsent ? words.unsent : since ? words.since(formatDayTimeInSentence(since, timeZone, now)) : words.title,
    detail: joinWords(
      paper !== '' && `${paper}.`,
      unsent ? `${unsent}.` : number && (isViewed ? words.opened : words.unopened),
    ),
    tone: 'accent',
    icon: 'clock',
    main: REMIND,
    others: [SCHEDULE],
  }
}

function describeWork(
  step: Step<'schedule' | 'assign_crew' | 'visit' | 'in_progress'>,
  { now, timeZone }: Clock,
): StepWords {
  if (step.kind === 'schedule') return describeScheduling(step)
  const open: StepButton = { label: t('Open the job'), icon: 'briefcase', target: openJob(step.jobId) }
  if (step.kind === 'in_progress')
    return {
      title: texts.inProgress,
      detail: step.crew ?? undefined,
      tone: 'info',
      icon: 'play',
      main: open,
      others: [],
    }
  const starts = formatDayTime(step.startsAt, timeZone, now)
  if (step.kind === 'assign_crew')
    return {
      title: t('Visit {starts}', { starts }),
      detail: `${texts.noCrew}.`,
      tone: 'warning',
      icon: 'calendar',
      main: { label: t('Assign a crew'), icon: 'leads', target: openJob(step.jobId, '?do=assign') },
      others: [open],
    }
  return {
    title: step.endsAt
      ? t('Visit {starts} – {ends}', { starts, ends: formatTime(step.endsAt, timeZone) })
      : t('Visit {starts}', { starts }),
    detail: joinWords(`${step.crew ?? texts.noCrew}.`, depositLine(step.depositDue)),
    tone: 'info',
    icon: 'calendar',
    main: open,
    others: depositButton(step.depositDue),
  }
}

function describeScheduling({ jobId, total, depositDue }: Step<'schedule'>): StepWords {
  const { approved, undated, plain } = texts.schedule
  return {
    title: jobId ? undated : total === null ? plain : approved,
    detail: joinWords(total !== null && `${formatMoney(total)}.`, depositLine(depositDue)),
    tone: 'success',
    icon: jobId ? 'calendar' : 'check-circle',
    main: jobId ? { ...SCHEDULE, target: openJob(jobId, '?do=schedule') } : SCHEDULE,
    others: depositButton(depositDue),
  }
}

function describeBilling(step: Step<'send_invoice' | 'collect'>): StepWords {
  if (step.kind === 'send_invoice') {
    const { amount, draftId } = step
    return {
      title: texts.sendInvoice,
      tone: 'secondary',
      icon: 'check',
      main: {
        label: amount === null ? t('Send invoice') : t('Send invoice {amount}', { amount: formatMoney(amount) }),
        icon: 'send',
        target: draftId ? { to: paths.invoice(draftId) } : { asks: 'invoice' },
      },
      others: [MARK_PAID],
    }
  }
  const { amount, invoiceId, daysOverdue } = step
  return {
    title:
      daysOverdue > 0
        ? plural(daysOverdue, 'Payment is {count} day overdue', 'Payment is {count} days overdue')
        : texts.collect,
    tone: daysOverdue > 0 ? 'error' : 'secondary',
    icon: daysOverdue > 0 ? 'alert' : 'dollar',
    main: {
      label: t('Collect {amount}', { amount: formatMoney(amount) }),
      icon: 'dollar',
      target: { opens: 'payment' },
    },
    others: [
      REMIND,
      ...(invoiceId
        ? [{ label: t('Open the invoice'), icon: 'document', target: { to: paths.invoice(invoiceId) } } as const]
        : []),
    ],
  }
}

function describeLost({ why, reason }: Step<'lost'>): StepWords {
  const { declined, noReply, detail } = texts.lost
  return {
    title: why === 'declined' ? declined : noReply,
    detail: reason ?? (why === 'no_reply' ? detail : undefined),
    tone: 'neutral',
    icon: 'close',
    main: why === 'declined' ? { ...ESTIMATE, label: t('Send a new estimate') } : ESTIMATE,
    others: [],
  }
}
