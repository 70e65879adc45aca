// Registration: texts, form schema and mutation.
import { useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { api, type Schema, unwrap } from '@/api/client'
import { DEFAULT_INDUSTRY } from '@/domain/org'
import { t } from '@/lib/i18n'
import { authMessages } from './messages'
import { newPassword, passwordIsNotOwnName, passwordsMatch } from './new-password'

export const registrationMessages = {
  success: {
    title: t('Account Created!'),
    description: t('Your account has been created successfully. You can now log in.'),
  },
  failureTitle: t('Registration Failed'),
  failure: t('Failed to create account. Please try again.'),
  closed: t('You cannot register here'),
  operator: t('I run this Toolbox'),
  operatorAddress: t('Enter your operator address. If it is one, we mail you a link.'),
  invited: t('Register with the email address that got the invitation.'),
  orgName: t('Business name is required'),
} as const

const fieldErrors = authMessages.register

export const registerSchema = z
  .object({
    name: z.string().check(z.trim(), z.minLength(1, fieldErrors.name)),
    email: z
      .string()
      .check(z.trim(), z.minLength(1, { error: fieldErrors.email, abort: true }), z.email(fieldErrors.emailFormat)),
    orgName: z.string().check(z.trim(), z.minLength(1, registrationMessages.orgName)),
    password: newPassword(),
    confirmPassword: z.string(),
  })
  .check(passwordsMatch(), passwordIsNotOwnName())

export type RegisterValues = z.infer<typeof registerSchema> & Omit<Schema['RegisterRequest'], 'industry'>

/** Registers a business and its owner; `invitation` is the operator's, where there is one. */
export function useRegister(invitation: string) {
  return useMutation({
    mutationFn: ({ name, email, password, orgName }: RegisterValues) =>
      unwrap(
        api.POST('/api/auth/register', {
          body: {
            name,
            email,
            password,
            orgName,
            industry: DEFAULT_INDUSTRY,
            ...(invitation === '' ? {} : { invitation }),
          },
        }),
      ),
    meta: {
      success: registrationMessages.success,
      failure: { title: registrationMessages.failureTitle, description: registrationMessages.failure },
    },
  })
}
