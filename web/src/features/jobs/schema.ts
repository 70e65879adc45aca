import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { jobsMessages as texts } from './messages'

const text = () => z.string().check(z.trim())
const amount = () =>
  text().check(z.refine((typed) => typed === '' || parseMoney(typed) !== undefined, texts.add.amount))
const priorityLevel = z.enum(['low', 'standard', 'urgent', 'rush'])

export const addJobSchema = z
  .object({
    who: z.enum(['lead', 'customer']),
    leadId: z.string(),
    name: text(),
    phone: text(),
    email: text(),
    service: text(),
    description: text(),
    address: text(),
    zip: text(),
    day: z.string(),
    time: z.string(),
    crewId: z.string(),
    priority: priorityLevel,
    value: amount(),
  })
  .check(
    z.refine(({ who, leadId }) => who !== 'lead' || leadId !== '', { message: texts.add.lead, path: ['leadId'] }),
    z.refine(({ who, name }) => who !== 'customer' || name !== '', { message: texts.add.name, path: ['name'] }),
    z.refine(({ day, time }) => day === '' || time !== '', { message: texts.add.time, path: ['time'] }),
    z.refine(({ day, time }) => day !== '' || time === '', { message: texts.add.day, path: ['day'] }),
  )
export type AddJobValues = z.infer<typeof addJobSchema>

export const editJobSchema = z.object({
  service: text(),
  description: text(),
  address: text(),
  zip: text(),
  priority: priorityLevel,
  value: amount(),
  materials: z.array(z.string()),
  specialInstructions: text(),
  weatherConcerns: text(),
  requiredPhotos: z.enum(['none', 'after', 'before_and_after']),
  checklist: z.array(z.string()),
})
export type EditJobValues = z.infer<typeof editJobSchema>
