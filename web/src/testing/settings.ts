// Settings as a business has them that has changed little, for tests.
import type { Schema } from '@/api/client'
import { buildId } from './builders'

const day = [{ opens: '08:00', closes: '17:00' }]

export function buildSettings(parts: Partial<Schema['Settings']> = {}): Schema['Settings'] {
  return {
    switches: {
      leadIntake: true,
      automatedCommunications: false,
      jobTracking: true,
      reviewCollection: true,
      kpiReporting: true,
    },
    notifications: {
      frequency: 'immediate',
      schedule: 'business_hours',
      businessStart: '09:00',
      businessEnd: '17:00',
      escalateAfterMinutes: 2,
      escalateNextAfterMinutes: 5,
    },
    recipients: { emails: [], phones: [{ id: buildId(), address: '+13125550142', shown: '(312) 555-0142' }] },
    hours: { week: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: [], sun: [] }, closedDates: [] },
    calls: {
      forwardTo: [],
      ringSeconds: 20,
      textDelaySeconds: 10,
      repeatHours: 24,
      nudge: true,
      emergencyWords: ['flood'],
    },
    estimates: {
      quoteHours: 24,
      prefix: 'EST-',
      validDays: 30,
      deposit: { kind: 'none', value: null },
      taxRates: [],
      defaultTax: null,
      terms: '',
      followUpDays: [2, 5, 10],
    },
    jobs: {
      durationMinutes: 120,
      arrivalMinutes: 0,
      requiredPhotos: 'none',
      checklist: [],
      dayBeforeAt: '09:00',
      booked: true,
      dayBefore: true,
      hourBefore: true,
      onTheWay: true,
      late: true,
      finished: true,
    },
    invoicing: {
      prefix: 'INV-',
      termsDays: 14,
      onCompletion: 'draft',
      howToPay: '',
      dunning: true,
      dunningDays: [-3, 0, 3, 7, 14, 30],
      receipts: true,
    },
    booking: {
      isOn: true,
      noticeHours: 24,
      daysAhead: 30,
      bufferMinutes: 30,
      gridMinutes: 30,
      dailyCap: 0,
      unprovenPerNetwork: 3,
      unprovenPerDay: 20,
      emailOnlyPercent: 50,
      depositFirst: false,
      durations: {},
      zips: [],
    },
    figures: {
      autoReplyMinutes: 5,
      followUpMinutes: 4,
      schedulingMinutes: 10,
      marginPercent: 65,
      monthlyOverhead: null,
    },
    pulse: {
      frequency: 'daily',
      time: '07:00',
      weekday: 'mon',
      byEmail: true,
      byText: true,
      quietDays: [],
      quietUntil: null,
      language: 'en',
    },
    reviews: { askWhen: 'completed', delayMinutes: 120, from: '09:00', until: '19:00', dailyCap: 50, followUps: true },
    holdOut: { followUps: false, missedCalls: false },
    leadOwners: { turns: [], zips: [] },
    devices: { offlineHours: 12 },
    look: { color: null, showsPoweredBy: true },
    setupList: { isHidden: false },
    sending: {
      dailyTextBudget: 100,
      textsPerNumber: 6,
      numbersPerExchange: 20,
      holdRepliesAtNight: false,
      registration: 'approved',
    },
    ...parts,
  }
}

/** A provider that could call, at no address. */
export const buildNoAddresses: Schema['WebhookProvider'] = {
  isSetUp: true,
  isReachable: true,
  why: null,
  addresses: [],
}
