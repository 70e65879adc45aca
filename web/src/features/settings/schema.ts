import * as z from 'zod/mini'
import { settingsMessages as texts } from './messages'

const isLink = (value: string) =>
  value === '' || z.safeParse(z.url({ protocol: /^https?$/, hostname: /\./ }), value).success

const text = () => z.string().check(z.trim())
const link = () => text().check(z.refine(isLink, texts.link))
const wholeNumber = (from: number, to: number) => {
  const message = texts.number(from, to)
  return z.number(message).check(z.refine(Number.isInteger, message), z.minimum(from, message), z.maximum(to, message))
}
const time = () => z.string().check(z.regex(/^\d\d:\d\d$/, texts.time))

export const organizationSchema = z.object({
  name: text().check(z.minLength(1, texts.name)),
  industry: text(),
  phone: text(),
  reviewLink: link(),
  bookingLink: link(),
  timezone: z.string(),
  postalAddress: text(),
})
export type OrganizationValues = z.infer<typeof organizationSchema>

export const notificationsSchema = z.object({
  frequency: z.enum(['immediate', 'hourly', 'daily', 'weekly']),
  schedule: z.enum(['anytime', 'business_hours', 'custom']),
  businessStart: time(),
  businessEnd: time(),
  escalateAfterMinutes: wholeNumber(1, 60),
  escalateNextAfterMinutes: wholeNumber(1, 120),
})
export type NotificationsValues = z.infer<typeof notificationsSchema>

export const SETTINGS_LIMITS = {
  ringSeconds: [10, 40],
  textDelaySeconds: [0, 300],
  repeatHours: [1, 72],
  dailyTextBudget: [0, 10_000],
  textsPerNumber: [1, 50],
  numbersPerExchange: [1, 10_000],
  forwardTo: 5,
  emergencyWords: 40,
} as const

export const callsSchema = z.object({
  forwardTo: z.array(z.string()),
  ringSeconds: wholeNumber(...SETTINGS_LIMITS.ringSeconds),
  textDelaySeconds: wholeNumber(...SETTINGS_LIMITS.textDelaySeconds),
  repeatHours: wholeNumber(...SETTINGS_LIMITS.repeatHours),
  nudge: z.boolean(),
  emergencyWords: z.array(z.string()),
})
export type CallsValues = z.infer<typeof callsSchema>

export const sendingSchema = z.object({
  dailyTextBudget: wholeNumber(...SETTINGS_LIMITS.dailyTextBudget),
  textsPerNumber: wholeNumber(...SETTINGS_LIMITS.textsPerNumber),
  numbersPerExchange: wholeNumber(...SETTINGS_LIMITS.numbersPerExchange),
  registration: z.enum(['unknown', 'approved', 'pending']),
})
export type SendingValues = z.infer<typeof sendingSchema>

const REVIEW_HOURS = { earliest: '08:00', latest: '20:00', shortestMinutes: 120 } as const
export const REVIEW_LIMITS = { delayMinutes: [0, 4320], dailyCap: [1, 1000], ...REVIEW_HOURS } as const

const reviewTime = () =>
  z
    .string()
    .check(z.refine((typed) => typed >= REVIEW_HOURS.earliest && typed <= REVIEW_HOURS.latest, texts.reviews.hours))
const minutesOf = (typed: string) => Number(typed.slice(0, 2)) * 60 + Number(typed.slice(3, 5))

export const reviewRulesSchema = z
  .object({
    askWhen: z.enum(['completed', 'paid']),
    delayMinutes: wholeNumber(...REVIEW_LIMITS.delayMinutes),
    from: reviewTime(),
    until: reviewTime(),
    dailyCap: wholeNumber(...REVIEW_LIMITS.dailyCap),
    followUps: z.boolean(),
  })
  .check(
    z.refine(({ from, until }) => minutesOf(until) - minutesOf(from) >= REVIEW_HOURS.shortestMinutes, {
      message: texts.reviews.span,
      path: ['until'],
    }),
  )
export type ReviewRulesValues = z.infer<typeof reviewRulesSchema>
