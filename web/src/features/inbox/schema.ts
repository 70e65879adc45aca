// What the inbox's own form accepts, before the server has its say.
import * as z from 'zod/mini'

export const cannedReplySchema = z.object({
  title: z.string().check(z.trim(), z.minLength(1, 'A title is required'), z.maxLength(60, 'At most 60 characters')),
  body: z.string().check(z.trim(), z.minLength(1, 'The words are required'), z.maxLength(1530, 'At most 1,530 characters')),
})
