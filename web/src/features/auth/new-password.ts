// Fields in which a new password is chosen, and the form of a reset.
import * as z from 'zod/mini'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@/domain/org'
import { authMessages } from './messages'

const texts = authMessages.register

/** `aaaaaaaa`; a short one is called short. */
const isOneCharacter = (password: string) =>
  password.length >= MIN_PASSWORD_LENGTH && new Set(password.toLowerCase()).size === 1

/** The server's rules; its list of leaked passwords is asked when the form is sent. */
export const newPassword = () =>
  z.string().check(
    z.minLength(MIN_PASSWORD_LENGTH, texts.passwordShort),
    z.maxLength(MAX_PASSWORD_LENGTH, texts.passwordLong),
    z.refine((password) => !isOneCharacter(password), texts.passwordCommon),
  )

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/\P{Alphabetic}/gu, '')

type Registering = { password: string; email: string; orgName: string }

function isOwnName({ password, email, orgName }: Registering): boolean {
  const letters = lettersOf(password)
  return letters !== '' && (letters === lettersOf(orgName) || password.toLowerCase() === email.trim().toLowerCase())
}

export const passwordIsNotOwnName = () =>
  z.refine<Registering>((values) => !isOwnName(values), {
    error: texts.passwordOwn,
    path: ['password'],
    // Before the other fields are filled in, too.
    when: () => true,
  })

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
