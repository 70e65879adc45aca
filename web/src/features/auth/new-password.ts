// Fields in which a new password is chosen, and the form of a reset.
import * as z from 'zod/mini'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@/domain/org'
import { authMessages } from './messages'

const texts = authMessages.register

export const newPassword = () =>
  z
    .string()
    .check(z.minLength(MIN_PASSWORD_LENGTH, texts.passwordShort), z.maxLength(MAX_PASSWORD_LENGTH, texts.passwordLong))

export const passwordsMatch = () =>
  z.refine<{ password: string; confirmPassword: string }>((values) => values.password === values.confirmPassword, {
    error: texts.passwordsDiffer,
    path: ['confirmPassword'],
    // Said together with the other fields' faults, not only once those are mended.
    when: () => true,
  })

export const resetPasswordSchema = z
  .object({ password: newPassword(), confirmPassword: z.string() })
  .check(passwordsMatch())

export type ResetPasswordValues = z.infer<typeof resetPasswordSchema>
