// The present value of each topic in one line. A topic whose data is not loaded has none.
import { formatCount } from '@/lib/format/number'
import { formatPhone } from '@/lib/format/phone'
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

const count = (total: number, one: string, many = `${one}s`) => `${formatCount(total)} ${total === 1 ? one : many}`
const onOff = (isOn: boolean) => (isOn ? 'On' : 'Off')

function summarizeOrganization({ name, phone }: Organization): TopicSummaries {
  return { business: phone ? `${name}, ${formatPhone(phone)}` : name }
}

function summarizeNumber({ number, sharesService, why }: SendingNumber): TopicSummaries {
  if (number) return { 'texting-number': why ? `${formatPhone(number)}, texts are off` : formatPhone(number) }
  return { 'texting-number': sharesService ? 'Shared number' : 'No number yet' }
}

/** Days next to each other with the same hours, as in "Mon to Fri 8:00 AM to 5:00 PM". */
export function summarizeHours({ week }: Settings['hours']): string {
  const runs: { first: string; last: string; text: string }[] = []
  for (const { day, label } of WEEKDAY_OPTIONS) {
    const text = week[day]
      .map(({ opens, closes }) => `${formatTimeOfDay(opens)} to ${formatTimeOfDay(closes)}`)
      .join(', ')
    const name = label.slice(0, 3)
    const run = runs.at(-1)
    if (run?.text === text) run.last = name
    else runs.push({ first: name, last: name, text })
  }
  const open = runs.filter(({ text }) => text !== '')
  if (open.length === 0) return 'Closed all week'
  return open.map(({ first, last, text }) => `${first === last ? first : `${first} to ${last}`} ${text}`).join('; ')
}

const FREQUENCIES: Record<Settings['notifications']['frequency'], string> = {
  immediate: 'Right away',
  hourly: 'Hourly summary',
  daily: 'Daily summary',
  weekly: 'Weekly summary',
}
const SCHEDULES: Record<Settings['notifications']['schedule'], string> = {
  anytime: 'day and night',
  business_hours: 'during business hours',
  custom: 'at your own times',
}

function summarizeSettings(settings: Settings): TopicSummaries {
  const { hours, booking, look, recipients, notifications, leadOwners, switches, calls } = settings
  const switchedOn = Object.values(switches).filter(Boolean).length
  const owners = leadOwners.turns.length
  const { emails, phones } = recipients
  return {
    look: look.color ? 'Your color' : 'Standard color',
    hours: summarizeHours(hours),
    'online-booking': booking.isOn ? `On, up to ${count(booking.daysAhead, 'day')} ahead` : 'Off',
    'new-requests':
      owners > 0
        ? `${count(owners, 'person', 'people')} in turns`
        : leadOwners.zips.length > 0
          ? 'By ZIP code'
          : 'Unassigned',
    recipients:
      emails.length + phones.length === 0
        ? 'No one yet'
        : `${count(emails.length, 'email')}, ${count(phones.length, 'phone')}`,
    notifications: `${FREQUENCIES[notifications.frequency]}, ${SCHEDULES[notifications.schedule]}`,
    automations: `${switchedOn} of ${Object.keys(switches).length} on`,
    'automatic-replies': onOff(switches.automatedCommunications),
    'missed-calls':
      calls.forwardTo.length === 0
        ? 'No phone set'
        : `${count(calls.forwardTo.length, 'phone')}, ${calls.ringSeconds} seconds`,
    ...summarizeSendings(settings),
  }
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
  const deposit = estimates.deposit.kind === 'none' ? 'no deposit' : 'with a deposit'
  return {
    reminders: switches.jobTracking ? `${count(visits.length, 'visit message')} on` : 'Off',
    'review-requests': switches.reviewCollection
      ? `When the work is ${reviews.askWhen === 'paid' ? 'paid' : 'done'}`
      : 'Off',
    'daily-limits': `${count(sending.dailyTextBudget, 'text')} a day`,
    reports: switches.kpiReporting
      ? `${pulse.frequency === 'daily' ? 'Every day' : 'Every week'} at ${formatTimeOfDay(pulse.time)}`
      : 'Report off',
    estimates: estimates.validDays === 0 ? deposit : `Good for ${count(estimates.validDays, 'day')}, ${deposit}`,
    invoices: `Due after ${count(invoicing.termsDays, 'day')}, reminders ${invoicing.dunning ? 'on' : 'off'}`,
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
    ...(peopleCount === undefined ? {} : { people: count(peopleCount, 'person', 'people') }),
    ...(crewCount === undefined ? {} : { crews: crewCount === 0 ? 'No crew yet' : count(crewCount, 'crew') }),
  }
}
