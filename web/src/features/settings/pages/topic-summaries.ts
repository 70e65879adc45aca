// The present value of each topic in one line. A topic whose data is not loaded has none.
import { formatCount } from '@/lib/format/number'
import { formatPhone } from '@/lib/format/phone'
import { plural, t } from '@/lib/i18n'
import type { SettingsTopicSlug } from '@/lib/settings-topics'
import { formatTimeOfDay, WEEKDAY_OPTIONS } from '../lib/business-hours'
import type { SendingNumber } from '../organization/sending-number'
import type { Organization, Settings } from '../types'

export type TopicSummaries = Partial<Readonly<Record<SettingsTopicSlug, string>>>

type TopicFacts = {
  organization: Organization | undefined
  settings: Settings | undefined
  number: SendingNumber | undefined
  peopleCount: number | undefined
  crewCount: number | undefined
}

const withCount = (total: number) => ({ count: formatCount(total) })
const countEmails = (total: number) => plural(total, '{count} email', '{count} emails', withCount(total))
const countPhones = (total: number) => plural(total, '{count} phone', '{count} phones', withCount(total))
const onOff = (isOn: boolean) => (isOn ? t('On') : t('Off'))

function summarizeOrganization({ name, phone }: Organization): TopicSummaries {
  return { business: phone ? `${name}, ${formatPhone(phone)}` : name }
}

function summarizeNumber({ number, sharesService, why }: SendingNumber): TopicSummaries {
  if (number)
    return {
      'texting-number': why ? t('{number}, texts are off', { number: formatPhone(number) }) : formatPhone(number),
    }
  return { 'texting-number': sharesService ? t('Shared number') : t('No number yet') }
}

/** Days next to each other with the same hours, as in "Mon to Fri 8:00 AM to 5:00 PM". */
export function summarizeHours({ week }: Settings['hours']): string {
  const runs: { first: string; last: string; text: string }[] = []
  for (const { day, label } of WEEKDAY_OPTIONS) {
    const text = week[day]
      .map(({ opens, closes }) =>
        t('{opens} to {closes}', { opens: formatTimeOfDay(opens), closes: formatTimeOfDay(closes) }),
      )
      .join(', ')
    const name = label.slice(0, 3)
    const run = runs.at(-1)
    if (run?.text === text) run.last = name
    else runs.push({ first: name, last: name, text })
  }
  const open = runs.filter(({ text }) => text !== '')
  if (open.length === 0) return t('Closed all week')
  return open
    .map(({ first, last, text }) => `${first === last ? first : t('{first} to {last}', { first, last })} ${text}`)
    .join('; ')
}

const FREQUENCIES: Record<Settings['notifications']['frequency'], string> = {
  immediate: t('Right away'),
  hourly: t('Hourly summary'),
  daily: t('Daily summary'),
  weekly: t('Weekly summary'),
}
const SCHEDULES: Record<Settings['notifications']['schedule'], string> = {
  anytime: t('day and night'),
  business_hours: t('during business hours'),
  custom: t('at your own times'),
}

function summarizeSettings(settings: Settings): TopicSummaries {
  const { hours, booking, look, recipients, notifications, leadOwners, switches, calls } = settings
  const switchedOn = Object.values(switches).filter(Boolean).length
  const owners = leadOwners.turns.length
  const { emails, phones } = recipients
  return {
    look: look.color ? t('Your color') : t('Standard color'),
    hours: summarizeHours(hours),
    'online-booking': booking.isOn
      ? plural(booking.daysAhead, 'On, up to {count} day ahead', 'On, up to {count} days ahead')
      : t('Off'),
    'new-requests':
      owners > 0
        ? plural(owners, '{count} person in turns', '{count} people in turns', withCount(owners))
        : leadOwners.zips.length > 0
          ? t('By ZIP code')
          : t('Unassigned'),
    recipients:
      emails.length + phones.length === 0
        ? t('No one yet')
        : `${countEmails(emails.length)}, ${countPhones(phones.length)}`,
    notifications: `${FREQUENCIES[notifications.frequency]}, ${SCHEDULES[notifications.schedule]}`,
    automations: t('{count} of {total} on', { count: switchedOn, total: Object.keys(switches).length }),
    'automatic-replies': onOff(switches.automatedCommunications),
    'missed-calls':
      calls.forwardTo.length === 0
        ? t('No phone set')
        : t('{phones}, {seconds} seconds', { phones: countPhones(calls.forwardTo.length), seconds: calls.ringSeconds }),
    ...summarizeSendings(settings),
  }
}

const REVIEW_TIMES: Record<Settings['reviews']['askWhen'], string> = {
  completed: t('When the work is done'),
  paid: t('When the work is paid'),
}

function summarizePulse({ frequency, time: timeOfDay }: Settings['pulse']): string {
  const time = formatTimeOfDay(timeOfDay)
  return frequency === 'daily' ? t('Every day at {time}', { time }) : t('Every week at {time}', { time })
}

function summarizeInvoicing({ termsDays, dunning }: Settings['invoicing']): string {
  return dunning
    ? plural(termsDays, 'Due after {count} day, reminders on', 'Due after {count} days, reminders on')
    : plural(termsDays, 'Due after {count} day, reminders off', 'Due after {count} days, reminders off')
}

function summarizeSendings({
  jobs,
  reviews,
  switches,
  sending,
  pulse,
  estimates,
  invoicing,
}: Settings): TopicSummaries {
  const visits = [jobs.booked, jobs.dayBefore, jobs.hourBefore, jobs.onTheWay, jobs.late, jobs.finished].filter(Boolean)
  const deposit = estimates.deposit.kind === 'none' ? t('no deposit') : t('with a deposit')
  return {
    reminders: switches.jobTracking
      ? plural(visits.length, '{count} visit message on', '{count} visit messages on')
      : t('Off'),
    'review-requests': switches.reviewCollection ? REVIEW_TIMES[reviews.askWhen] : t('Off'),
    'daily-limits': plural(
      sending.dailyTextBudget,
      '{count} text a day',
      '{count} texts a day',
      withCount(sending.dailyTextBudget),
    ),
    reports: switches.kpiReporting ? summarizePulse(pulse) : t('Report off'),
    estimates:
      estimates.validDays === 0
        ? deposit
        : plural(estimates.validDays, 'Good for {count} day, {deposit}', 'Good for {count} days, {deposit}', {
            deposit,
          }),
    invoices: summarizeInvoicing(invoicing),
  }
}

export function summarizeTopics({
  organization,
  settings,
  number,
  peopleCount,
  crewCount,
}: TopicFacts): TopicSummaries {
  return {
    ...(organization && summarizeOrganization(organization)),
    ...(number && summarizeNumber(number)),
    ...(settings && summarizeSettings(settings)),
    ...(peopleCount === undefined
      ? {}
      : { people: plural(peopleCount, '{count} person', '{count} people', withCount(peopleCount)) }),
    ...(crewCount === undefined
      ? {}
      : {
          crews:
            crewCount === 0
              ? t('No crew yet')
              : plural(crewCount, '{count} crew', '{count} crews', withCount(crewCount)),
        }),
  }
}
