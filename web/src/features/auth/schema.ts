// Form schemas of sign-in and registration.
import * as z from 'zod/mini'
import type { Schema } from '@/api/client'
import { authMessages } from './messages'

export const loginSchema = z.object({
  email: z.string().check(z.trim(), z.minLength(1, authMessages.login.email)),
  password: z.string().check(z.minLength(1, authMessages.login.password)),
})

export type LoginValues = z.infer<typeof loginSchema> & Schema['LoginRequest']

const code = () => z.string().check(z.trim(), z.minLength(1, authMessages.code.missing))

export const codeSchema = z.object({ code: code() })

export type CodeValues = z.infer<typeof codeSchema>

export const forgotPasswordSchema = z.object({
  email: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { error: authMessages.login.email, abort: true }),
      z.email(authMessages.register.emailFormat),
    ),
})

export type ForgotPasswordValues = z.infer<typeof forgotPasswordSchema>

export const reauthSchema = z.object({
  password: z.string().check(z.minLength(1, authMessages.login.password)),
  code: z.string().check(z.trim()),
})

export type ReauthValues = z.infer<typeof reauthSchema>
