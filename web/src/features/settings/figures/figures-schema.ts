import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { settingsMessages as texts } from '../messages'

export const FIGURES_LIMITS = { minutes: [0, 240], marginPercent: [0, 100] } as const

const numberWithin = ([from, to]: readonly [number, number], message: string) =>
  z.number(message).check(z.minimum(from, message), z.maximum(to, message))
const wholeMinutes = texts.number(...FIGURES_LIMITS.minutes)
const minutes = () => numberWithin(FIGURES_LIMITS.minutes, wholeMinutes).check(z.refine(Number.isInteger, wholeMinutes))

export const figuresSchema = z.object({
  marginPercent: numberWithin(FIGURES_LIMITS.marginPercent, texts.figures.percent),
  /** Empty where it is not reckoned with. */
  monthlyOverhead: z.string().check(
    z.trim(),
    z.refine((typed) => typed === '' || parseMoney(typed) !== undefined, texts.figures.amount),
  ),
  autoReplyMinutes: minutes(),
  followUpMinutes: minutes(),
  schedulingMinutes: minutes(),
})
export type FiguresValues = z.infer<typeof figuresSchema>
