import { useState } from 'react'
import * as z from 'zod/mini'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@/domain/org'
import { formatDate } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CheckboxField } from '@/ui/checkbox-field'
import { Form, ignoreFailure } from '@/ui/form'
import { PasswordField } from '@/ui/password-field'
import { accountMessages } from './messages'
import { useChangePassword } from './queries'

const texts = accountMessages.password

const schema = z
  .object({
    currentPassword: z.string().check(z.minLength(1, texts.current)),
    newPassword: z
      .string()
      .check(
        z.minLength(MIN_PASSWORD_LENGTH, t('Password must be at least 8 characters long')),
        z.maxLength(MAX_PASSWORD_LENGTH, t('Password must be at most 128 characters long')),
      ),
    confirmPassword: z.string(),
    takesKeysAway: z.boolean(),
  })
  .check(
    z.refine((values) => values.newPassword === values.confirmPassword, {
      error: t('Passwords do not match'),
      path: ['confirmPassword'],
      when: () => true,
    }),
  )

type Values = z.infer<typeof schema>

const EMPTY: Values = { currentPassword: '', newPassword: '', confirmPassword: '', takesKeysAway: false }

export function PasswordCard({
  changedAt,
  keys,
}: {
  changedAt: string
  /** That they made for other programs. */ keys: number
}) {
  const { orgTimezone, email } = useCurrentUser()
  const change = useChangePassword()
  const [isOpen, setIsOpen] = useState(false)
  const send = async ({ currentPassword, newPassword, takesKeysAway }: Values) => {
    await change.mutateAsync({ currentPassword, newPassword, takesKeysAway })
    setIsOpen(false)
  }
  return (
    <Card title={t('Password')} icon="shield">
      <p className="mb-4 text-muted">
        {t('Chosen {date}. A new one signs every other device out.', { date: formatDate(changedAt, orgTimezone) })}
      </p>
      {!isOpen && (
        <Button variant="secondary" icon="pencil" onClick={() => setIsOpen(true)}>
          {t('Change password')}
        </Button>
      )}
      {isOpen && (
        <Form
          label={t('Change password')}
          schema={schema}
          defaultValues={EMPTY}
          onSubmit={send}
          onFailure={ignoreFailure}
          className="grid gap-4"
        >
          {(form) => (
            <>
              {/* For password managers: whose password it is. */}
              <input type="email" autoComplete="username" value={email} readOnly hidden />
              <PasswordField
                form={form}
                name="currentPassword"
                label={t('Current password')}
                autoComplete="current-password"
              />
              <PasswordField
                form={form}
                name="newPassword"
                label={t('New password')}
                autoComplete="new-password"
                hint={t('At least 8 characters')}
              />
              <PasswordField
                form={form}
                name="confirmPassword"
                label={t('Confirm password')}
                autoComplete="new-password"
              />
              {keys > 0 && (
                <CheckboxField form={form} name="takesKeysAway">
                  {accountMessages.takeKeys(keys)}
                </CheckboxField>
              )}
              <div className="flex flex-wrap justify-end gap-2">
                <Button variant="ghost" onClick={() => setIsOpen(false)}>
                  {t('Cancel')}
                </Button>
                <Button type="submit" pending={form.formState.isSubmitting} pendingText={t('Changing...')}>
                  {t('Change password')}
                </Button>
              </div>
            </>
          )}
        </Form>
      )}
    </Card>
  )
}
